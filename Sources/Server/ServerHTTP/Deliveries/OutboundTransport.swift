import CurlKit

/// What the outbound loop needs of libcurl. One thread owns it.
protocol OutboundTransport: AnyObject {
  func start(_ request: CurlRequest) throws(CurlError) -> CurlRequestID
  func cancel(_ id: CurlRequestID)
  /// Like `CurlLoop.poll`. After it has thrown, the transport must be replaced.
  func poll(timeoutMilliseconds: Int?, watching descriptors: [Int32]) throws(CurlError) -> CurlLoop.PollResult
}

extension CurlLoop: OutboundTransport {}

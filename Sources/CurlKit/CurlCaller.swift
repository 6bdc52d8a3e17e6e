/// Single requests, for callers that may block.
package enum CurlCaller {
  /// Sends `request` over a connection of its own and waits for the answer, at most for the request's time-outs.
  package static func perform(_ request: CurlRequest) throws(CurlError) -> CurlResponse {
    fatalError("not yet")
  }
}

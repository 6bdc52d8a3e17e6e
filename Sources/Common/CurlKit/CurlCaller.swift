/// Single requests, for callers that may block.
package enum CurlCaller {
  /// Sends `request` on a new connection and waits for the answer, up to the request's timeouts. A stream is collected like any
  /// other answer.
  package static func perform(_ request: CurlRequest) throws(CurlError) -> CurlResponse {
    var request = request
    request.isStream = false
    let loop = try CurlLoop()
    _ = try loop.start(request)
    while true {
      for event in try loop.poll().events {
        switch event {
        case .finished(_, let response): return response
        case .failed(_, let error): throw error
        case .opened, .chunk: continue
        }
      }
    }
  }
}

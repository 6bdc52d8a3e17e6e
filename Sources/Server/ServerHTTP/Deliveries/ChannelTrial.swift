import CurlKit
package import ServerCore

/// Sends one request, as the server would, and waits for its answer.
package enum ChannelTrial {
  package static let timeoutMilliseconds = 30_000

  /// Whether the channel took the message, and how it answered.
  package static func send(_ request: ChannelRequest) throws(ServerError) -> (isTaken: Bool, description: String) {
    do throws(CurlError) {
      let answer = try answer(to: request)
      return (answer.isSuccess, answer.description)
    } catch {
      throw ServerError(.cannotStart, "cannot send: \(error.message)")
    }
  }

  private static func answer(to request: ChannelRequest) throws(CurlError) -> DeliveryAnswer {
    let loop = try CurlLoop(options: CurlLoop.Options())
    _ = try loop.start(CurlRequest(request, timeoutMilliseconds: timeoutMilliseconds))
    while true {
      for event in try loop.poll().events {
        switch event {
        case .finished(_, let response): return DeliveryAnswer(response, to: request)
        case .failed(_, let error): return DeliveryAnswer(error)
        case .opened, .chunk: continue
        }
      }
    }
  }
}

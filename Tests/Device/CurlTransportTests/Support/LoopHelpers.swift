import Testing

@testable import CurlKit

/// A request to the test's server, with short timeouts.
func plainRequest(
  _ url: String, method: String = "GET", headers: [CurlRequest.Header] = [], body: [UInt8] = []
)
  -> CurlRequest
{
  CurlRequest(
    method: method, url: url, headers: headers, body: body, connectTimeoutMilliseconds: 5000,
    totalTimeoutMilliseconds: 10_000, maximumBodyBytes: 64 << 10, addressPolicy: .httpsOrLoopback)
}

extension CurlLoop {
  /// Polls until `count` events have come. Throws if all requests have ended before, and after a timeout.
  func events(_ count: Int) throws -> [CurlEvent] {
    var events: [CurlEvent] = []
    let start = ContinuousClock.now
    while events.count < count {
      guard activeCount > 0, start.duration(to: .now) < .seconds(20) else { throw MissingEvents(events: events) }
      events += try poll(timeoutMilliseconds: 20_000).events
    }
    return events
  }

  /// Sends one request and returns its answer.
  func perform(_ request: CurlRequest) throws -> CurlResponse {
    let id = try start(request)
    let event = try #require(try events(1).first)
    switch event {
    case .finished(id, let response): return response
    case .failed(id, let error): throw error
    default: throw UnexpectedEvent(event: event)
    }
  }

  /// Sends one request, which must fail, and returns the failure.
  func failure(_ request: CurlRequest) throws -> CurlError.Code {
    do {
      let response = try perform(request)
      throw UnexpectedEvent(event: .finished(CurlRequestID(number: 0), response))
    } catch let error as CurlError {
      return error.code
    }
  }
}

struct MissingEvents: Error {
  let events: [CurlEvent]
}

struct UnexpectedEvent: Error {
  let event: CurlEvent
}

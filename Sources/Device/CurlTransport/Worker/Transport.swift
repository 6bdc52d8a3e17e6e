import CurlKit
import SyncEngine
import Wire

/// Sends the engine's requests with libcurl, and translates ids, answers and failures. The engine cancels streams that fall
/// silent.
///
/// Owned by the worker's thread.
final class Transport {
  private struct Request {
    let id: RequestID
    var parser: EventStreamParser
  }

  private let loop: CurlLoop
  var certificateAuthorityFile: String?
  private var requests: [CurlRequestID: Request] = [:]
  private var numbers: [RequestID: CurlRequestID] = [:]

  init(loop: CurlLoop, certificateAuthorityFile: String?) {
    self.loop = loop
    self.certificateAuthorityFile = certificateAuthorityFile
  }

  /// Starts a request; returns the failure if it cannot start.
  func send(_ request: TransportRequest) -> SyncEvent? {
    do throws(CurlError) {
      let number = try loop.start(curlRequest(request))
      numbers[request.id] = number
      requests[number] = Request(
        id: request.id, parser: EventStreamParser(maximumBytes: request.maximumBodyBytes))
      return nil
    } catch {
      return .failure(request.id, TransportFailure(error))
    }
  }

  func cancel(_ id: RequestID) {
    guard let number = numbers[id] else { return }
    forget(number)
    loop.cancel(number)
  }

  /// See `CurlLoop`.
  func flush(_ id: RequestID) throws(CurlError) {
    if let number = numbers[id] { try loop.flush(number) }
  }

  func cancelAll() {
    for id in Array(numbers.keys) { cancel(id) }
  }

  /// See `CurlLoop`.
  func millisecondsSinceHeard(of id: RequestID) -> Int64? {
    numbers[id].flatMap { loop.millisecondsSinceHeard(of: $0) }
  }

  /// Translates `event` for the engine. Events of cancelled requests are ignored.
  func translate(_ event: CurlEvent) -> [SyncEvent] {
    switch event {
    case .opened(let number, let head): opened(number, head)
    case .chunk(let number, let bytes): streamed(number, bytes)
    case .finished(let number, let response): finished(number, response)
    case .failed(let number, let error):
      forget(number).map { [.failure($0, TransportFailure(error))] } ?? []
    }
  }

  private func opened(_ number: CurlRequestID, _ head: CurlResponseHead) -> [SyncEvent] {
    guard let id = requests[number]?.id else { return [] }
    if head.status == 200, head.mediaType == "text/event-stream" { return [.streamOpened(id)] }
    // An answer that is not a stream may be endless: do not wait for its body.
    cancel(id)
    return [.answer(id, HTTPAnswer(status: head.status, headers: head.headers, body: []))]
  }

  private func streamed(_ number: CurlRequestID, _ bytes: [UInt8]) -> [SyncEvent] {
    guard let id = requests[number]?.id else { return [] }
    do throws(EventStreamParser.TooLong) {
      let events = try requests[number]?.parser.append(bytes).map { SyncEvent($0, of: id) } ?? []
      // Events that arrive together are merged, so a flood of them cannot hold up an alert.
      let said = [SyncEvent.stream(id, .change), .stream(id, .heartbeat)].first(where: events.contains)
      return [events.last(where: \.isSpread), said].compactMap(\.self)
    } catch {
      cancel(id)
      return [.failure(id, .bodyTooLarge)]
    }
  }

  private func finished(_ number: CurlRequestID, _ response: CurlResponse) -> [SyncEvent] {
    let head = response.head
    let isStreamsEnd = head.status == 200 && head.mediaType == "text/event-stream"
    return forget(number).map { id in
      isStreamsEnd
        ? [.failure(id, .protocolError("the server ended the stream"))]
        : [.answer(id, HTTPAnswer(status: head.status, headers: head.headers, body: response.body))]
    } ?? []
  }

  @discardableResult
  private func forget(_ number: CurlRequestID) -> RequestID? {
    guard let id = requests.removeValue(forKey: number)?.id else { return nil }
    numbers[id] = nil
    return id
  }

  private func curlRequest(_ request: TransportRequest) -> CurlRequest {
    var made = CurlRequest(
      method: request.method, url: request.url, headers: request.headers.map { .init($0.name, $0.value) },
      body: request.body, connectTimeoutMilliseconds: request.connectTimeoutMilliseconds,
      totalTimeoutMilliseconds: request.isStream ? nil : request.totalTimeoutMilliseconds,
      maximumBodyBytes: request.maximumBodyBytes, isStream: request.isStream,
      certificateAuthorityFile: certificateAuthorityFile, addressPolicy: .httpsOrLoopback,
      proxyPolicy: .fromEnvironment)
    made.needsFreshConnection = request.needsFreshConnection
    return made
  }
}

extension TransportFailure {
  init(_ error: CurlError) {
    self =
      switch error.code {
      case .cannotResolve: .cannotResolve
      case .cannotConnect, .addressRefused: .cannotConnect
      case .timedOut: .timedOut
      case .tls, .certificateAuthorityFile: .tls(error.message)
      case .bodyTooLarge, .headersTooLarge: .bodyTooLarge
      case .unavailable, .invalidURL, .invalidRequest, .protocolError, .mailUnanswered, .internalError:
        .protocolError(error.message)
      }
  }
}

extension SyncEvent {
  /// An unknown item still counts as a heartbeat.
  init(_ item: EventStreamParser.Item, of stream: RequestID) {
    switch item {
    case .event(let name, _): self = .stream(stream, StreamEvent(rawValue: name) ?? .heartbeat)
    case .comment: self = .stream(stream, .heartbeat)
    case .retry(let milliseconds): self = .streamSpread(stream, milliseconds: milliseconds)
    }
  }

  fileprivate var isSpread: Bool {
    if case .streamSpread = self { true } else { false }
  }
}

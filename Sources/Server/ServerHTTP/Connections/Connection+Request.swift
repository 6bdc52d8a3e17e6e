import CMicroHTTPD
import Model
import ServerCore
import Wire

// A request's way through a connection: begin, head, body, answer, finish.

extension Connection {
  /// Called when the request line has arrived.
  func beginRequest() {
    requestCount += 1
    // On a new connection the deadline counts from its opening.
    let elapsed = hasServedRequest ? 0 : monotonicMilliseconds() - openedAt
    shell.deadlines.set(
      id, .receiving, .refuseRequest, afterMilliseconds: max(0, shell.settings.requestDeadlineMilliseconds - elapsed))
  }

  /// False closes the connection.
  ///
  /// `method` and `version` are as the library gives them: where it keeps the head.
  func readHead(of handle: OpaquePointer, method: UnsafePointer<CChar>, version: UnsafePointer<CChar>) -> Bool {
    switch lifesignal_mhd_check_head(handle, method, version) {
    case lifesignal_head_right: break
    case lifesignal_head_ambiguous: return refuseHead(Refusals.ambiguousHead, on: handle)
    default: return refuseHead(Refusals.malformedHead, on: handle)
    }
    let isVersion11 = String(cString: version) == "HTTP/1.1"
    let length = header("Content-Length", of: handle)
    let encoding = header("Transfer-Encoding", of: handle)
    if let encoding {
      guard isVersion11 else { return refuseHead(Refusals.oldEncoding, on: handle) }
      // The library takes more for the end of a chunk than others do: what follows the body is no request.
      closesAfterAnswer = true
      needsLinger = true
      guard length == nil else { return refuse(.problem(Refusals.ambiguousLength), on: handle) }
      guard encoding.lowercased() == "chunked" else { return refuse(.problem(Refusals.unknownEncoding), on: handle) }
    }
    if isVersion11, header("Host", of: handle) == nil { return refuse(.problem(Refusals.noHost), on: handle) }
    if let hosts = shell.settings.knownHosts, !hosts.allow(header("Host", of: handle)) {
      return refuseHead(Refusals.foreignHost, on: handle)
    }
    if let length, length.isEmpty || !length.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
      return refuseHead(Refusals.malformedLength, on: handle)
    }
    // A length with too many digits to be a number is too large as well.
    if let length, Int(length) ?? .max > SyncLimits.maximumBodyBytes {
      return refuseHead(Refusals.bodyTooLarge(SyncLimits.maximumBodyBytes), on: handle)
    }
    return askForBody(ofLength: encoding == nil ? length.flatMap { Int($0) } ?? 0 : nil, on: handle)
  }

  /// Asks whether the body is to be read, unless it is small. Nil: its length is not known.
  private func askForBody(ofLength length: Int?, on handle: OpaquePointer) -> Bool {
    if let length, length <= RouteEntry.smallBodyBytes {
      maximumBodyBytes = length
      body.reserveCapacity(length)
      return true
    }
    guard let head = request(on: handle) else { return refuseHead(Refusals.malformedTarget, on: handle) }
    switch shell.admit(head, length) {
    case .now(let admission): return use(admission, ofLength: length, on: handle)
    case .later(let begin):
      guard shell.suspended.enter() else { return refuse(RequestPool.busy, on: handle) }
      let pending = Pending<HTTPShell.Admission>(handle, shell.suspended)
      pendingAdmission = (pending, length)
      MHD_suspend_connection(handle)
      begin(pending.give)
      return true
    }
  }

  private func use(_ admission: HTTPShell.Admission, ofLength length: Int?, on handle: OpaquePointer) -> Bool {
    switch admission {
    case .refused(let response):
      closesAfterAnswer = true
      return refuse(response, on: handle)
    case .upTo(let count):
      if count > RouteEntry.smallBodyBytes {
        guard let place = shell.bodyRoom.take(header("Authorization", of: handle) ?? "") else {
          closesAfterAnswer = true
          return refuse(RequestPool.busy, on: handle)
        }
        bodyPlace = place
      }
      maximumBodyBytes = count
      body.reserveCapacity(min(length ?? 0, count))
      return true
    }
  }

  /// False closes the connection.
  func read(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard body.count + bytes.count <= maximumBodyBytes else {
      // Without a length the size is known only now, when the library no longer accepts an answer.
      if !shell.isEncrypted { RawAnswer(Refusals.bodyTooLarge(maximumBodyBytes)).send(to: descriptor) }
      needsLinger = true
      return false
    }
    body.append(contentsOf: bytes)
    return true
  }

  /// Called when the request is complete, and again when what it waits for is ready: before its body is read, or its answer. False closes
  /// the connection.
  func goOn(on handle: OpaquePointer) -> Bool {
    if let (pending, length) = pendingAdmission {
      guard let admission = pending.take() else { return false }
      pendingAdmission = nil
      return use(admission, ofLength: length, on: handle)
    }
    if let pending { return send(pending.take(), on: handle) }
    shell.deadlines.set(id, .answering, afterMilliseconds: shell.settings.answerDeadlineMilliseconds)
    guard let request = request(on: handle) else { return queue(.problem(Refusals.malformedTarget), on: handle) }
    body = []
    return answer(request, on: handle)
  }

  /// As far as it has arrived; nil if its target is malformed.
  private func request(on handle: OpaquePointer) -> ServerRequest? {
    guard let target = target.flatMap({ RequestTarget($0) }) else { return nil }
    // HEAD is answered like GET; the library omits the body (RFC 9110 §9.3.2).
    var request = ServerRequest(
      method: method == "HEAD" ? "GET" : method, path: target.path, query: target.query,
      authorization: header("Authorization", of: handle),
      acceptLanguage: header("Accept-Language", of: handle), contentType: header("Content-Type", of: handle),
      body: body, remoteAddress: remoteAddress(of: handle))
    request.id = requestID
    return request
  }

  private func answer(_ request: ServerRequest, on handle: OpaquePointer) -> Bool {
    switch shell.respond(request) {
    case .now(let response): return send(response, on: handle)
    case .later(let begin):
      guard shell.suspended.enter() else { return send(RequestPool.busy, on: handle) }
      // The library asks again once the answer is ready.
      let pending = Pending<ServerResponse>(handle, shell.suspended)
      self.pending = pending
      _ = shell.unanswered.enter()
      MHD_suspend_connection(handle)
      begin(pending.give)
      return true
    }
  }

  private func send(_ response: ServerResponse?, on handle: OpaquePointer) -> Bool {
    switch response {
    case .full(let response): queue(.full(response), on: handle)
    case .eventStream where method == "HEAD": queue(Answer.headOfStream, on: handle)
    case .eventStream(let account, let holder, let seconds):
      openStream(of: account, holder, heartbeatSeconds: seconds, on: handle)
    case nil: false
    }
  }

  /// The answer was sent, or the connection failed.
  func finishRequest() {
    if let stream { shell.hub.remove(stream) }
    if pending != nil { shell.unanswered.leave() }
    reset()
    hasServedRequest = true
    shell.deadlines.set(id, .waiting, afterMilliseconds: shell.settings.keepAliveMilliseconds)
  }

  /// The library refuses the request, and closes the connection after its answer.
  func beginRefusal() {
    needsLinger = true
    shell.deadlines.set(id, .answering, afterMilliseconds: shell.settings.answerDeadlineMilliseconds)
  }

  /// Refuses a request of which it is not known where it ends: what follows is then not a request.
  private func refuseHead(_ problem: Problem, on handle: OpaquePointer) -> Bool {
    refuse(.problem(problem, headers: [HeaderField("Connection", "close")]), on: handle)
  }

  /// Answers before the body has arrived; the library closes the connection afterwards.
  private func refuse(_ response: ServerResponse, on handle: OpaquePointer) -> Bool {
    needsLinger = true
    return queue(response, on: handle)
  }

  private func openStream(
    of account: AccountID, _ holder: StreamHolder, heartbeatSeconds: Int, on handle: OpaquePointer
  ) -> Bool {
    let stream = EventStream(
      account: account, holder: holder, ticksPerHeartbeat: heartbeatSeconds / StreamEvent.heartbeatSeconds,
      connection: handle, descriptor: descriptor, at: monotonicMilliseconds())
    switch shell.hub.add(stream, at: monotonicMilliseconds()) {
    case .taken: break
    case .full: return queue(.problem(Refusals.tooManyStreams, retryAfterSeconds: 30), on: handle)
    case .sessionEnded: return queue(.problem(Refusals.sessionEnded), on: handle)
    }
    self.stream = stream
    shell.deadlines.set(id, .answering, afterMilliseconds: nil)
    lifesignal_mhd_clear_timeout(handle)
    shell.beginTicks()
    return Answer.of(stream, isEncrypted: shell.isEncrypted)?.queue(on: handle) ?? false
  }

  private func queue(_ response: ServerResponse, on handle: OpaquePointer) -> Bool {
    guard case .full(var response) = response else { return false }
    if closesAfterAnswer || shell.ending.hasBegun, !response.headers.contains(where: { $0.name == "Connection" }) {
      response.headers.append(HeaderField("Connection", "close"))
    }
    // Whoever asks the operator about it can say which one.
    if response.status >= 500 { response.headers.append(HeaderField("X-Request-Id", requestID)) }
    shell.deadlines.set(id, .sending, afterMilliseconds: shell.settings.answerDeadlineMilliseconds)
    return Answer.of(.full(response), isEncrypted: shell.isEncrypted)?.queue(on: handle) ?? false
  }

  /// Of the client, as far as it is known.
  private func remoteAddress(of handle: OpaquePointer) -> String {
    let proxies = shell.settings.trustedProxies
    guard proxies.trusts(peer.text) else { return peer.text }
    return proxies.client(of: peer.text, forwarded: headers("Forwarded", of: handle))
  }

  private func header(_ name: String, of handle: OpaquePointer) -> String? {
    lifesignal_mhd_header(handle, name).map { String(cString: $0) }
  }

  /// All values of a header, with commas between; nil without one.
  private func headers(_ name: String, of handle: OpaquePointer) -> String? {
    var buffer = [CChar](repeating: 0, count: shell.settings.connectionMemoryBytes)
    guard lifesignal_mhd_headers(handle, name, &buffer, buffer.count) else { return nil }
    // What a client sent before is no reason to lose what the proxies added.
    return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}

import ServerCore

/// One accepted connection and its current request.
///
/// libmicrohttpd calls for one connection from one thread at a time, and nothing else touches this object.
final class Connection {
  let id: UInt64
  let descriptor: Int32
  let peer: PeerAddress
  unowned let shell: HTTPShell
  /// Of the monotonic clock, in milliseconds.
  let openedAt = monotonicMilliseconds()

  /// The current request's target as it was sent; nil if it is not text.
  var target: String?
  var method = ""
  var body: [UInt8] = []
  var maximumBodyBytes = 0
  /// Nil where the body is small.
  var bodyPlace: BodyRoom.Place?
  var stream: EventStream?
  /// Whether its body is read, and that body's length: what a suspended request waits for first.
  var pendingAdmission: (Pending<HTTPShell.Admission>, Int?)?
  /// The answer that a suspended request waits for.
  var pending: Pending<ServerResponse>?
  var hasServedRequest = false
  /// How many requests have begun.
  var requestCount: UInt64 = 0
  /// Whether what follows the request is not to be read.
  var closesAfterAnswer = false
  /// It was answered before its request was complete.
  var needsLinger = false

  init(id: UInt64, descriptor: Int32, peer: PeerAddress, shell: HTTPShell) {
    self.id = id
    self.descriptor = descriptor
    self.peer = peer
    self.shell = shell
  }

  /// Of the current request: those of the shell and the connection, and the request's number on it.
  var requestID: String { "\(shell.id)-\(id)-\(requestCount)" }

  /// Forgets the completed request.
  func reset() {
    target = nil
    method = ""
    body = []
    maximumBodyBytes = 0
    bodyPlace = nil
    stream = nil
    pendingAdmission = nil
    pending = nil
    closesAfterAnswer = false
  }
}

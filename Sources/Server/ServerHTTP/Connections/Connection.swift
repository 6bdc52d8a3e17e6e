import ServerCore

/// One accepted connection and its current request.
///
/// libmicrohttpd calls for one connection from one thread at a time, and nothing else touches this object.
final class Connection {
  let id: UInt64
  let descriptor: Int32
  let peer: PeerAddress
  unowned let shell: HTTPShell

  /// The current request's target as it was sent; nil if it is not text.
  var target: String?
  var method = ""
  var body: [UInt8] = []
  var stream: EventStream?
  /// The answer that a suspended request waits for.
  var pending: PendingAnswer?
  var hasServedRequest = false
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

  /// Forgets the completed request.
  func reset() {
    target = nil
    method = ""
    body = []
    stream = nil
    pending = nil
    closesAfterAnswer = false
  }
}

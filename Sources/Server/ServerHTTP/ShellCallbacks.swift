import CMicroHTTPD
import Glibc
import ServerCore
import Wire

/// What libmicrohttpd calls, from its own threads. Top-level functions, as a C callback has no closure: `server` is the
/// `HTTPShell`, `context` the `Connection`.
enum ShellCallbacks {
  static let all = lifesignal_mhd_callbacks(
    accepts: accepts, opened: opened, closed: closed, target: readTarget, head: readHead, body: readBody,
    whole: answerRequest, completed: completed, refusal: refuse)
}

private func shell(_ server: UnsafeMutableRawPointer?) -> HTTPShell? {
  server.map { Unmanaged<HTTPShell>.fromOpaque($0).takeUnretainedValue() }
}

private func connection(_ context: UnsafeMutableRawPointer?) -> Connection? {
  context.map { Unmanaged<Connection>.fromOpaque($0).takeUnretainedValue() }
}

private func accepts(_ server: UnsafeMutableRawPointer?, _ peer: UnsafePointer<sockaddr>?) -> Bool {
  guard let shell = shell(server), shell.limits.accepts(PeerAddress(peer)) else { return false }
  return !shell.limits.isFull || shell.deadlines.makeRoom()
}

private func opened(
  _ server: UnsafeMutableRawPointer?, _ descriptor: Int32, _ peer: UnsafePointer<sockaddr>?
) -> UnsafeMutableRawPointer? {
  guard let shell = shell(server) else { return nil }
  let connection = Connection(
    id: shell.newConnectionID(), descriptor: descriptor, peer: PeerAddress(peer), shell: shell)
  shell.limits.add(connection.peer)
  // A peer that vanished silently is detected by unacknowledged data.
  var timeoutMilliseconds: UInt32 = 60_000
  setsockopt(
    descriptor, Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, &timeoutMilliseconds, socklen_t(MemoryLayout<UInt32>.size))
  shell.deadlines.add(connection.id, descriptor: descriptor, isEncrypted: shell.isEncrypted)
  shell.deadlines.set(
    connection.id, .waiting, .refuseRequest, afterMilliseconds: shell.settings.requestDeadlineMilliseconds)
  return Unmanaged.passRetained(connection).toOpaque()
}

private func closed(_ server: UnsafeMutableRawPointer?, _ context: UnsafeMutableRawPointer?) {
  guard let shell = shell(server), let context else { return }
  let connection = Unmanaged<Connection>.fromOpaque(context).takeRetainedValue()
  shell.deadlines.remove(connection.id)
  shell.limits.remove(connection.peer)
  if connection.needsLinger { shell.deadlines.linger(on: connection.descriptor) }
}

private func readTarget(_ context: UnsafeMutableRawPointer?, _ target: UnsafePointer<CChar>?) {
  guard let connection = connection(context) else { return }
  connection.target = target.flatMap { String(validatingCString: $0) }
  connection.beginRequest()
}

private func readHead(
  _ context: UnsafeMutableRawPointer?, _ handle: OpaquePointer?, _ method: UnsafePointer<CChar>?,
  _ version: UnsafePointer<CChar>?
) -> Bool {
  guard let connection = connection(context), let handle, let method, let version else { return false }
  connection.method = String(validatingCString: method) ?? "?"
  return connection.readHead(of: handle, method: method, version: version)
}

private func readBody(
  _ context: UnsafeMutableRawPointer?, _ handle: OpaquePointer?, _ bytes: UnsafePointer<CChar>?, _ count: Int
) -> Bool {
  guard let connection = connection(context), let bytes else { return false }
  return connection.read(UnsafeRawBufferPointer(start: bytes, count: count))
}

private func answerRequest(_ context: UnsafeMutableRawPointer?, _ handle: OpaquePointer?) -> Bool {
  guard let connection = connection(context), let handle else { return false }
  return connection.goOn(on: handle)
}

private func completed(_ context: UnsafeMutableRawPointer?) {
  connection(context)?.finishRequest()
}

private func refuse(
  _ context: UnsafeMutableRawPointer?, _ status: UnsafeMutablePointer<UInt32>?
) -> OpaquePointer? {
  guard let connection = connection(context), let status else { return nil }
  let problem = Refusals.ofLibrary(status: status.pointee)
  status.pointee = UInt32(problem.status)
  connection.beginRefusal()
  guard connection.shell.isEncrypted else {
    // Not through the library: version 0.9.75 writes the head of some of its refusals twice.
    RawAnswer(problem).send(to: connection.descriptor)
    return nil
  }
  return Answer.of(.problem(problem), isEncrypted: true)?.response
}

import CMicroHTTPD
import Glibc
import Model
import ServerCore
import Synchronization
import SystemKit
import Wire

/// The sockets of the server: libmicrohttpd with the bounds of `HTTPSettings` around functions from requests to answers.
final class HTTPShell: Sendable {
  typealias Responder = @Sendable (ServerRequest) -> Reply<ServerResponse>
  /// Asked for a request that has a body, before it is read: with its length, nil where that is not known.
  typealias Admitter = @Sendable (ServerRequest, Int?) -> Reply<Admission>

  /// What a connection is told, at once or later.
  enum Reply<Value: Sendable> {
    case now(Value)
    /// Starts the work, which replies once, from any thread.
    case later((@escaping @Sendable (Value) -> Void) -> Void)
  }

  enum Admission: Sendable {
    /// The body is read, as far as so many bytes.
    case upTo(Int)
    /// The answer, without the body; the connection ends with it.
    case refused(ServerResponse)
  }

  let settings: HTTPSettings
  let address: ListenAddress
  let hub: EventHub
  let deadlines: DeadlineThread
  let bodyRoom: BodyRoom
  /// Tells this shell's requests from those of others in a log.
  let id: String
  let limits: ConnectionLimits
  let isEncrypted: Bool
  let ending: Ending
  let admit: Admitter
  let respond: Responder
  /// Connections that are suspended until it is known whether their body is read, or until their answer is ready.
  let suspended = Gauge()
  /// Requests whose answer has not been sent yet.
  let unanswered = Gauge()
  private let nextConnectionID = Atomic<UInt64>(1)
  /// Nil before the start and after the stop.
  private let daemon = Lock<Daemon?>(nil)

  /// Answers requests until `stop`. Takes ownership of the socket, even if it throws.
  static func start(
    on socket: consuming ListeningSocket, settings: HTTPSettings, tls: TLSIdentity?, hub: EventHub,
    ending: Ending = Ending(), admit: @escaping Admitter, respond: @escaping Responder
  ) throws(ServerError) -> HTTPShell {
    if tls != nil, !lifesignal_mhd_has_tls() {
      throw ServerError(.tls, "this machine's libmicrohttpd has no TLS: put a TLS proxy before the server")
    }
    let shell = try HTTPShell(
      at: socket.address, settings: settings, isEncrypted: tls != nil, hub: hub, ending: ending, admit: admit,
      respond: respond)
    try shell.run(on: socket, tls: tls)
    return shell
  }

  private init(
    at address: ListenAddress, settings: HTTPSettings, isEncrypted: Bool, hub: EventHub,
    ending: Ending, admit: @escaping Admitter, respond: @escaping Responder
  ) throws(ServerError) {
    self.settings = settings
    self.address = address
    self.isEncrypted = isEncrypted
    self.ending = ending
    self.admit = admit
    self.respond = respond
    limits = ConnectionLimits(settings)
    bodyRoom = BodyRoom(
      limit: settings.maximumLargeBodies, limitPerCredential: settings.maximumLargeBodiesPerCredential)
    id = String(UInt32.random(in: .min ... .max), radix: 16)
    self.hub = hub
    let period = settings.tickMilliseconds
    deadlines = try DeadlineThread { deadlines in
      hub.tick(at: monotonicMilliseconds())
      guard hub.isEmpty else { return }
      deadlines.beat(everyMilliseconds: nil)
      // A stream may have come in between.
      if !hub.isEmpty { deadlines.beat(everyMilliseconds: period) }
    }
  }

  private func run(on socket: consuming ListeningSocket, tls: TLSIdentity?) throws(ServerError) {
    if let tls { try use(tls) }
    do throws(ServerError) {
      try listen(on: socket)
    } catch {
      if isEncrypted { lifesignal_tls_forget(address.port) }
      throw error
    }
  }

  private func listen(on socket: consuming ListeningSocket) throws(ServerError) {
    try deadlines.start()
    var callbacks = ShellCallbacks.all
    let context = Unmanaged.passRetained(self)
    let started = socket.handOver { descriptor in
      var options = lifesignal_mhd_options(
        listening_descriptor: descriptor, threads: UInt32(settings.threads),
        connection_limit: UInt32(settings.acceptedConnections),
        idle_timeout_seconds: settings.silenceSeconds,
        connection_memory_bytes: settings.connectionMemoryBytes, is_encrypted: isEncrypted)
      return lifesignal_mhd_start(&options, &callbacks, context.toOpaque())
    }
    guard let started else {
      context.release()
      deadlines.stop()
      throw ServerError(.cannotStart, "the HTTP library could not start")
    }
    let running = Daemon(pointer: started)
    daemon.withLock { $0 = running }
  }

  /// New connections are encrypted with this certificate; open ones keep theirs. Throws, and changes nothing, where it cannot be used.
  func use(_ identity: TLSIdentity) throws(ServerError) {
    guard isEncrypted else { throw ServerError(.tls, "a server that began without TLS has to be started again for it") }
    guard lifesignal_tls_use(address.port, identity.certificate, identity.key) else {
      throw TLSIdentity.unusable
    }
  }

  /// Waits until only event streams are left, for up to `milliseconds`: whoever has a request on its way gets the answer, and asks another
  /// process next. Call it after `ending` has begun, before whoever answers stops.
  func drain(milliseconds: Int) {
    let deadline = Deadline(millisecondsFromNow: milliseconds)
    while limits.count > hub.counts.devices + hub.counts.pages, deadline.remainingMilliseconds > 0 {
      poll(nil, 0, 5)
    }
  }

  /// Ends the event streams, lets running requests finish, and closes every connection. Idempotent.
  func stop() {
    let running = daemon.withLock { daemon in
      defer { daemon = nil }
      return daemon
    }
    guard let running else { return }
    // While it listens still: another process may make the file anew right after.
    UnixSocketFile.remove(address)
    hub.close()
    // The library aborts the process if a connection is suspended when it stops.
    suspended.close()
    suspended.waitForZero()
    unanswered.waitForZero(milliseconds: 2000)
    // Also closes the listening socket, after its threads have ended. (`MHD_quiesce_daemon`, which would give the socket back
    // first, aborts the process if a thread is accepting a connection at that moment.)
    MHD_stop_daemon(running.pointer)
    if isEncrypted { lifesignal_tls_forget(address.port) }
    deadlines.stop()
    Unmanaged.passUnretained(self).release()
  }

  func newConnectionID() -> UInt64 {
    nextConnectionID.wrappingAdd(1, ordering: .relaxed).oldValue
  }

  /// Starts the ticks after a stream was added; they stop by themselves when none is left.
  func beginTicks() { deadlines.beat(everyMilliseconds: settings.tickMilliseconds) }
}

/// libmicrohttpd's handle of a running daemon.
private struct Daemon: @unchecked Sendable {
  // The library's own locks make its calls safe; `HTTPShell.daemon` hands it out once to be stopped.
  let pointer: OpaquePointer
}

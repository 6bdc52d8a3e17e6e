import CurlKit
package import ServerCore
import Wire

/// The whole server: its sockets, its event streams and its outbound loop around a `ServerCore` and a store.
///
/// ```swift
/// let server = try LifeSignalServer.start(on: socket, options, core: core, store: store, moment: { … }, log: log)
/// print(server.address)
/// server.stop()
/// ```
package final class LifeSignalServer: Sendable {
  package struct Options: Sendable {
    package var http: HTTPSettings
    package var tls: TLSIdentity?
    package var codes: CodeDelivery
    /// Receives lines for standard output: the codes of `CodeDelivery.console`.
    package var printLine: @Sendable (String) -> Void
    /// Makes the transport, at the start and after a failure.
    var makeTransport: @Sendable () throws(CurlError) -> any OutboundTransport = { () throws(CurlError) in
      var options = CurlLoop.Options()
      options.maximumIdleConnections = 64
      // libcurl scans its whole cache for each request, which thousands of dead hosts would make expensive.
      options.nameCacheSeconds = 2
      return try CurlLoop(options: options)
    }

    package init(
      http: HTTPSettings = HTTPSettings(), tls: TLSIdentity? = nil, codes: CodeDelivery = .none,
      printLine: @escaping @Sendable (String) -> Void = { writeLine($0, to: 1) }
    ) {
      self.http = http
      self.tls = tls
      self.codes = codes
      self.printLine = printLine
    }
  }

  /// Where it listens, with the real port.
  package var address: ListenAddress { shell.address }
  /// Where it listens to its operator; nil where it does not.
  package var operatorAddress: ListenAddress? { operatorShell?.address }

  /// How far its threads have come.
  package var progress: [WorkProgress] { threads.progress }

  /// The page of the operator's listener.
  package static let overviewPath = Route.overview

  private let shell: HTTPShell
  private let operatorShell: HTTPShell?
  private let context: ServerContext
  private let threads: Threads

  /// The server accepts requests when this returns. Takes ownership of the sockets. `moment` reads the clock and fresh entropy,
  /// from any thread.
  /// - Parameter operatorSocket: whoever reaches it sees what concerns all accounts.
  package static func start(
    on socket: consuming ListeningSocket, operatorSocket: consuming ListeningSocket? = nil, _ options: Options,
    core: ServerCore, store: any ServerStore,
    moment: @escaping @Sendable () -> ServerMoment,
    log: ServerLog
  ) throws(ServerError) -> LifeSignalServer {
    let context = ServerContext(
      rules: CurrentRules(.init(core, codes: options.codes, options.tls)), store: store, moment: moment,
      hub: try EventHub(options.http), log: log)
    var threads = Threads()
    do throws(ServerError) {
      let parts = try threads.start(context, options)
      let shell = try HTTPShell.start(
        on: socket, settings: options.http, tls: options.tls, hub: context.hub, ending: context.ending,
        admit: { parts.pool.admit($0, bodyBytes: $1, in: ShellRoutes.table) },
        respond: { parts.pool.reply(to: $0, in: ShellRoutes.table) })
      do throws(ServerError) {
        let operatorShell: HTTPShell? =
          if let operatorSocket { try listen(on: operatorSocket, context, parts, beside: shell) } else { nil }
        return LifeSignalServer(
          shell, operatorShell, context, threads: threads)
      } catch {
        shell.stop()
        throw error
      }
    } catch {
      threads.stop()
      throw error
    }
  }

  /// Listens to the operator.
  private static func listen(
    on socket: consuming ListeningSocket, _ context: ServerContext, _ parts: Threads.Parts, beside shell: HTTPShell
  ) throws(ServerError) -> HTTPShell {
    var settings = HTTPSettings()
    (settings.threads, settings.maximumConnections) = (1, 64)
    settings.knownHosts = KnownHosts(of: socket.address)
    let figures = OperatorFigures(
      context: context, connections: shell.limits, pool: parts.pool, writer: parts.writer, inbox: parts.inbox)
    let table = OperatorRoutes.table(figures)
    return try HTTPShell.start(
      on: socket, settings: settings, tls: nil, hub: try EventHub(settings), ending: context.ending,
      admit: { parts.pool.admit($0, bodyBytes: $1, in: table) },
      respond: { parts.pool.reply(to: $0, in: table, isMeasured: false) })
  }

  private init(_ shell: HTTPShell, _ operatorShell: HTTPShell?, _ context: ServerContext, threads: Threads) {
    self.context = context
    self.shell = shell
    self.operatorShell = operatorShell
    self.threads = threads
  }

  /// Works by these rules from now on; requests and messages under way keep the former ones, and no connection is closed. Throws, and
  /// changes nothing, where the certificate cannot be used.
  ///
  /// - Parameter core: with the same keys.
  package func use(_ core: ServerCore, codes: CodeDelivery, tls: TLSIdentity?) throws(ServerError) {
    if let tls { try shell.use(tls) }
    context.rules.replace(by: CurrentRules.Rules(core, codes: codes, tls))
  }

  /// Lets running requests finish, ends the event streams and cancels running deliveries (they are retried after the next start).
  /// Returns when all threads of the server have ended; the store can be closed then.
  package func stop() {
    context.ending.begin()
    shell.drain(milliseconds: Self.drainMilliseconds)
    threads.stop([shell, operatorShell].compactMap { $0 })
  }

  /// A proxy before several processes finds out meanwhile that this one is not ready any more.
  private static let drainMilliseconds = 500

  /// The server's own threads, as far as they have been started.
  private struct Threads: Sendable {
    private var writer: StoreWriter?
    private var outbound: OutboundLoop?
    private var pool: RequestPool?
    private var follower: (any StoreFollower)?

    /// What the listeners work with.
    struct Parts: Sendable {
      let pool: RequestPool
      let writer: StoreWriter
      let inbox: OutboundInbox
    }

    var progress: [WorkProgress] { pool?.progress ?? [] }

    mutating func start(_ context: ServerContext, _ options: Options) throws(ServerError) -> Parts {
      guard let inbox = OutboundInbox() else { throw ServerError(.cannotStart, "no descriptor is left for the server") }
      let writer = try StoreWriter(context, outbound: inbox)
      self.writer = writer
      let outbound = try OutboundLoop(
        context, .init(makeTransport: options.makeTransport), writer: writer, inbox: inbox)
      self.outbound = outbound
      let handler = RequestHandler(
        context: context, outbound: outbound, printLine: options.printLine)
      let pool = try RequestPool(handler, writer: writer)
      self.pool = pool
      follower = try Self.follow(context)
      return Parts(pool: pool, writer: writer, inbox: inbox)
    }

    /// Has the event streams hear of what other processes change.
    private static func follow(_ context: ServerContext) throws(ServerError) -> (any StoreFollower)? {
      do throws(StorageError) {
        return try context.store.follow { [hub = context.hub] changes in
          hub.wake(changes.accounts)
          hub.end(changes.endedSessions, at: monotonicMilliseconds())
        }
      } catch {
        throw ServerError(.cannotStart, "cannot follow the database: \(error.message)")
      }
    }

    /// The pool first: requests that wait are answered while their connections are open, and later ones are refused. The outbound
    /// loop last: it records the answers that come until then.
    func stop(_ shells: [HTTPShell] = []) {
      follower?.stop()
      pool?.stop()
      writer?.stop()
      for shell in shells { shell.stop() }
      outbound?.stop()
    }
  }
}

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

  private let shell: HTTPShell
  private let pool: RequestPool
  private let outbound: OutboundLoop

  /// The server accepts requests when this returns. Takes ownership of the socket. `moment` reads the clock and fresh entropy,
  /// from any thread.
  package static func start(
    on socket: consuming ListeningSocket, _ options: Options, core: ServerCore, store: any ServerStore,
    moment: @escaping @Sendable () -> ServerMoment,
    log: ServerLog
  ) throws(ServerError) -> LifeSignalServer {
    let core = core.sendingCodes(by: options.codes)
    let hub = try EventHub(options.http)
    var gateway: String?
    if case .gateway(let url) = options.codes { gateway = url }
    guard let inbox = OutboundInbox() else { throw ServerError(.cannotStart, "no descriptor is left for the server") }
    let writer = try StoreWriter(
      .init(core: core, store: store, moment: moment, outbound: inbox, wakeStreams: { hub.wake($0) }, log: log))
    do throws(ServerError) {
      let outbound = try OutboundLoop(
        .init(
          core: core, store: store, moment: moment, writer: writer, gateway: gateway, log: log,
          makeTransport: options.makeTransport), inbox: inbox)
      let handler = RequestHandler(
        core: core, store: store, moment: moment, hub: hub, outbound: outbound, codes: options.codes,
        printLine: options.printLine, log: log)
      return try start(on: socket, options, handler, writer: writer)
    } catch {
      writer.stop()
      throw error
    }
  }

  private static func start(
    on socket: consuming ListeningSocket, _ options: Options, _ handler: RequestHandler, writer: StoreWriter
  ) throws(ServerError) -> LifeSignalServer {
    do throws(ServerError) {
      let pool = try RequestPool(handler, writer: writer)
      do throws(ServerError) {
        let shell = try HTTPShell.start(
          on: socket, settings: options.http, tls: options.tls, hub: handler.hub, respond: pool.reply)
        return LifeSignalServer(shell: shell, pool: pool, outbound: handler.outbound)
      } catch {
        pool.stop()
        throw error
      }
    } catch {
      writer.stop()
      handler.outbound.stop()
      throw error
    }
  }

  private init(shell: HTTPShell, pool: RequestPool, outbound: OutboundLoop) {
    self.shell = shell
    self.pool = pool
    self.outbound = outbound
  }

  /// Lets running requests finish, ends the event streams and cancels running deliveries (they are retried after the next start).
  /// Returns when all threads of the server have ended; the store can be closed then.
  package func stop() {
    pool.stop()
    shell.stop()
    outbound.stop()
  }
}

extension ServerCore {
  fileprivate func sendingCodes(by codes: CodeDelivery) -> ServerCore {
    var configuration = configuration
    if case .none = codes { configuration.sendsCodes = false }
    return ServerCore(configuration: configuration, keys: keys)
  }
}

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
    /// Takes a line for standard output: the codes of `CodeDelivery.console`.
    package var printLine: @Sendable (String) -> Void
    /// Makes what messages are sent with, at the start and after it failed.
    var makeTransport: @Sendable () throws(CurlError) -> any OutboundTransport = { () throws(CurlError) in
      try CurlLoop()
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

  /// Answers when it returns. Takes the socket over. `moment` reads the clock and fresh entropy, from any thread.
  package static func start(
    on socket: consuming ListeningSocket, _ options: Options, core: ServerCore, store: any ServerStore,
    moment: @escaping @Sendable () -> ServerMoment,
    log: ServerLog
  ) throws(ServerError) -> LifeSignalServer {
    let core = core.sendingCodes(by: options.codes)
    let hub = try EventHub(options.http)
    var gateway: String?
    if case .gateway(let url) = options.codes { gateway = url }
    let outbound = try OutboundLoop(
      .init(
        core: core, store: store, moment: moment, wakeStreams: { hub.wake($0) }, gateway: gateway, log: log,
        makeTransport: options.makeTransport))
    let handler = RequestHandler(
      core: core, store: store, moment: moment, hub: hub, outbound: outbound, codes: options.codes,
      printLine: options.printLine, log: log)
    do throws(ServerError) {
      let pool = try RequestPool(handler)
      do throws(ServerError) {
        let shell = try HTTPShell.start(
          on: socket, settings: options.http, tls: options.tls, hub: hub, respond: pool.reply)
        return LifeSignalServer(shell: shell, pool: pool, outbound: outbound)
      } catch {
        pool.stop()
        throw error
      }
    } catch {
      outbound.stop()
      throw error
    }
  }

  private init(shell: HTTPShell, pool: RequestPool, outbound: OutboundLoop) {
    self.shell = shell
    self.pool = pool
    self.outbound = outbound
  }

  /// Lets requests that are under way finish, ends the event streams, breaks off deliveries (they are tried again after
  /// the next start), and returns when no thread of the server runs any more. The store can be closed then.
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

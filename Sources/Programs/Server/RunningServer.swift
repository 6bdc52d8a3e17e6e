import Arguments
import Glibc
import Model
import ServerCore
import ServerHTTP

/// The server, and what it reads again while it runs.
struct RunningServer {
  /// Of the start: what a reload cannot change is as it was then.
  private let options: ServerOptions
  /// Read again with its file for each reload.
  private let invocation: Invocation
  private let keys: ServerKeys
  private let server: LifeSignalServer
  private let log: ServerLog

  init(
    _ options: ServerOptions, _ invocation: Invocation, store: any ServerStore, log: ServerLog
  ) throws(ServerFailure) {
    self.options = options
    self.invocation = invocation
    self.log = log
    let address = try options.listenAddress()
    let operatorAddress = try options.operatorAddress()
    let identity = try options.identity()
    keys = try Self.keys(of: store)
    do throws(ServerError) {
      let socket = try Self.socket(address, for: "listen")
      let operatorSocket: ListeningSocket? =
        if let operatorAddress { try Self.socket(operatorAddress, for: "operator") } else { nil }
      let core = ServerCore(configuration: options.configuration(at: socket.address), keys: keys)
      server = try LifeSignalServer.start(
        on: socket, operatorSocket: operatorSocket,
        .init(http: Self.settings(options, log), tls: identity, codes: options.codes), core: core,
        store: store, moment: LiveMoment.read, log: log)
    } catch {
      throw ServerFailure(error.code == .tls ? .data : .unavailable, error.message)
    }
  }

  func stop() { server.stop() }

  var progress: [WorkProgress] { server.progress }

  private static func socket(_ address: ListenAddress, for option: String) throws(ServerError) -> ListeningSocket {
    do throws(ServerError) {
      return try ListeningSocket(address)
    } catch {
      let advice = ProcessSetup.mayListen(on: address.port) ? "" : ". This user may not use \(ProcessSetup.portAdvice)"
      throw ServerError(error.code, "--\(option): \(error.message)\(advice)")
    }
  }

  private static func keys(of store: any ServerStore) throws(ServerFailure) -> ServerKeys {
    do {
      return try ServerKeys.load(from: store, at: LiveMoment.read())
    } catch {
      let message = (error as? StorageError)?.message ?? "the server's keys cannot be read"
      throw ServerFailure(.cannotCreate, "cannot use the database: \(message)")
    }
  }

  private static func settings(_ options: ServerOptions, _ log: ServerLog) -> HTTPSettings {
    var http = HTTPSettings()
    let possible = max(64, HTTPSettings.maximumConnections(forDescriptors: ProcessSetup.raiseDescriptorLimit() - 128))
    options.limits.apply(to: &http, possibleConnections: possible)
    http.trustedProxies = options.trustedProxies
    if let wanted = options.limits.connections, wanted > possible {
      log("--max-connections: the limit of open files allows \(possible)")
    }
    return http
  }
}

// Other settings while it runs.
extension RunningServer {
  /// Reads all files again. Returns what is wrong in them, which is logged too: everything stays as it was then.
  func reload() -> String? {
    do throws(ServerFailure) {
      let new = try ServerOptions(Settings(invocation))
      let identity = try new.identity()
      guard (new.certificateFile == nil) == (options.certificateFile == nil) else {
        throw ServerFailure(.data, "only a restart turns TLS on or off: \(Self.restart)")
      }
      try use(new, identity)
      noteUnchanged(new)
      log("settings were read again")
      logCertificate(identity, of: new)
      logCarriers(of: new)
      return nil
    } catch {
      log(Self.refused(error.message), .error)
      return error.message
    }
  }

  static func refused(_ reason: String) -> String {
    "settings refused: \(reason.prefix { !$0.isNewline }); the former ones stay"
  }

  private static let restart = "restart the server (systemctl restart lifesignal-server)"

  private func use(_ new: ServerOptions, _ identity: TLSIdentity?) throws(ServerFailure) {
    let core = ServerCore(configuration: new.configuration(at: server.address), keys: keys)
    do throws(ServerError) {
      try server.use(core, codes: new.codes, tls: identity)
    } catch {
      throw ServerFailure(.data, error.message)
    }
  }

  private func noteUnchanged(_ new: ServerOptions) {
    var names: [String] = []
    if new.listen != options.listen { names.append("listen") }
    if new.operatorListen != options.operatorListen { names.append("operator") }
    if new.logForm != options.logForm { names.append("log") }
    if new.logLevel != options.logLevel { names.append("log-level") }
    if new.trustedProxies != options.trustedProxies { names.append("trusted-proxy") }
    if new.database != options.database { names.append("database") }
    names += new.limits.names(ofOthersThan: options.limits)
    guard !names.isEmpty else { return }
    log("not used yet: \(names.joined(separator: ", ")). To use them: \(Self.restart)", .warning)
  }
}

// What it says of itself.
extension RunningServer {
  func announce() {
    logCertificate(try? options.identity(), of: options)
    logCarriers(of: options)
    noteProxies()
    if ProcessSetup.hasTerminal { log("SIGHUP ends this server: it has a terminal") }
    if let reason = SignInSupport.unavailability() {
      log("phone numbers cannot be checked, so nobody can sign in; alerts are taken all the same: \(reason)", .error)
    }
    if let address = server.operatorAddress { log("the operator's pages are at \(options.url(ofOperator: address))") }
    writeLine("lifesignal-server: listening on \(options.url(of: server.address))", to: STDOUT_FILENO)
  }

  private func noteProxies() {
    let proxies = options.trustedProxies
    if server.address.family == .unix, !proxies.trusts(TrustedProxies.unix) {
      log("--listen unix: without --trusted-proxy unix: all people count as one address", .warning)
    }
    if proxies.trustsEverybody {
      log("--trusted-proxy: anyone can choose the address that limits count", .warning)
    }
  }

  private func logCertificate(_ identity: TLSIdentity?, of options: ServerOptions) {
    guard let identity else { return }
    for warning in CertificateCheck(identity, of: options, at: LiveMoment.now()).warnings { log(warning, .warning) }
  }

  private func logCarriers(of options: ServerOptions) {
    if options.allowsPrivateChannels { log("--allow-private-channels: for development only") }
    switch options.codes {
    case .none: log("no --sms: codes cannot be sent, so nobody can sign in", .warning)
    case .console: log("--sms console: codes go to standard output; for development only")
    case .gateway(let gateway):
      log("codes and text messages go to the SMS gateway")
      if let answers = gateway.answers {
        log("responders can answer text messages\(answers.reply == .message ? "; each reply is a text message" : "")")
      }
    }
    if options.voiceGateway != nil { log("calls go to the voice gateway") }
    if let server = options.mailServer { log("mails go to \(server.url), from \(server.sender.text)") }
  }
}

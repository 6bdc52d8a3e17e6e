import Glibc
import Model
import ServerCore
import ServerHTTP

/// `lifesignal-server`: options in, a server until a signal comes, an exit status out.
enum ServerProgram {
  static func run(_ arguments: [String]) -> Int32 {
    do throws(ServerFailure) {
      let options = try ServerOptions(arguments)
      if options.showsHelp {
        writeLine(String(Usage.help.dropLast()), to: STDOUT_FILENO)
      } else if options.showsVersion {
        writeLine(Usage.version, to: STDOUT_FILENO)
      } else if options.onlyMigrates {
        try Database.migrate(options.database)
        writeLine("lifesignal-server: the tables are up to date", to: STDOUT_FILENO)
      } else {
        try serve(options)
      }
      return 0
    } catch {
      writeLine("lifesignal-server: \(error.message)", to: STDERR_FILENO)
      return error.status.rawValue
    }
  }

  private static func serve(_ options: ServerOptions) throws(ServerFailure) {
    ProcessSetup.takeSignals()
    let log = ServerLog.standardError(now: LiveMoment.now)
    let address = try listenAddress(options.listen)
    let identity = try identity(options)
    let database = if let chosen = options.database { chosen } else { Database.file(try DatabaseFolder.defaultFile()) }
    let opened = try database.open(createsFile: options.createsStore)
    defer { opened.close() }
    let server = try start(options, address: address, identity: identity, store: opened.store, log: log)
    announce(server, options, isEncrypted: identity != nil, log: log)
    let signal = ProcessSetup.waitForSignal()
    server.stop()
    log("ended by \(signal)")
  }

  private static func listenAddress(_ text: String) throws(ServerFailure) -> ListenAddress {
    do throws(ServerError) {
      return try ListenAddress(text)
    } catch {
      throw ServerFailure(.data, "--listen: \(error.message)")
    }
  }

  private static func identity(_ options: ServerOptions) throws(ServerFailure) -> TLSIdentity? {
    guard let certificateFile = options.certificateFile, let keyFile = options.keyFile else { return nil }
    return TLSIdentity(
      certificate: try TextFile.read(certificateFile, for: "--tls-certificate"),
      key: try TextFile.read(keyFile, for: "--tls-key"))
  }

  private static func start(
    _ options: ServerOptions, address: ListenAddress, identity: TLSIdentity?, store: any ServerStore, log: ServerLog
  ) throws(ServerFailure) -> LifeSignalServer {
    let keys = try keys(of: store)
    do throws(ServerError) {
      let socket = try ListeningSocket(address)
      var configuration = ServerConfiguration(
        publicURL: options.publicURL ?? url(of: socket.address, isEncrypted: identity != nil),
        allowsPrivateChannels: options.allowsPrivateChannels)
      configuration.voiceGateway = options.voiceGateway
      configuration.mailServer = options.mailServer
      if let burst = options.alertBurst { configuration.limits.newAlerts.burst = burst }
      var http = HTTPSettings()
      let possible = max(64, ProcessSetup.raiseDescriptorLimit() - 128)
      http.maximumConnections = min(options.maximumConnections ?? http.maximumConnections, possible)
      http.maximumPageStreams = options.maximumPages
      if let wanted = options.maximumConnections, wanted > possible {
        log("--max-connections: the limit of open files allows \(possible)")
      }
      return try LifeSignalServer.start(
        on: socket, .init(http: http, tls: identity, codes: options.codes),
        core: ServerCore(configuration: configuration, keys: keys), store: store, moment: LiveMoment.read, log: log)
    } catch {
      throw ServerFailure(error.code == .tls ? .data : .unavailable, error.message)
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

  private static func announce(
    _ server: LifeSignalServer, _ options: ServerOptions, isEncrypted: Bool, log: ServerLog
  ) {
    switch options.codes {
    case .none: log("no --sms: codes cannot be sent, so nobody can sign in")
    case .console: log("--sms console: codes go to standard output; for development only")
    case .gateway(let gateway):
      log("codes and text messages go to the SMS gateway")
      if let answers = gateway.answers {
        log("responders can answer text messages\(answers.reply == .message ? "; each reply is a text message" : "")")
      }
    }
    if options.voiceGateway != nil { log("calls go to the voice gateway") }
    if let server = options.mailServer { log("mails go to \(server.url), from \(server.sender.text)") }
    if let reason = SignInSupport.unavailability() {
      log("phone numbers cannot be checked, so nobody can sign in; alerts are taken all the same: \(reason)")
    }
    if options.allowsPrivateChannels { log("--allow-private-channels: for development only") }
    writeLine("lifesignal-server: listening on \(url(of: server.address, isEncrypted: isEncrypted))", to: STDOUT_FILENO)
  }

  private static func url(of address: ListenAddress, isEncrypted: Bool) -> String {
    "\(isEncrypted ? "https" : "http")://\(address)"
  }
}

import Arguments
import ServerCore
import ServerHTTP

/// The command line, read.
struct ServerOptions {
  var listen = "127.0.0.1:8080"
  var database: Database?
  /// Make a new store even if there was one.
  var createsStore = false
  /// Bring the tables up to date, and serve nobody.
  var onlyMigrates = false
  var publicURL: String?
  var allowsPrivateChannels = false
  var codes = CodeDelivery.none
  var voiceGateway: GatewayTemplate?
  var mailServer: MailServer?
  var certificateFile: String?
  var keyFile: String?
  /// Connections at once; nil: the default.
  var maximumConnections: Int?
  /// Open pages at once; nil: as many as leave devices half of the streams.
  var maximumPages: Int?
  /// New alerts that one device may send at once; nil: the default.
  var alertBurst: Int?
  var showsHelp = false
  var showsVersion = false

  /// Throws `usage` for unknown or incomplete options and for a PostgreSQL store, `data` for other invalid values.
  init(_ arguments: [String]) throws(ServerFailure) {
    let commandLine: ParsedCommandLine
    do throws(UsageError) {
      commandLine = try ArgumentParser.parse(
        arguments, root: Usage.specification, globalOptions: Usage.standardOptions)
    } catch {
      throw Self.wrongUsage(error.message)
    }
    switch commandLine {
    case .help: showsHelp = true
    case .version: showsVersion = true
    case .run(let invocation): try read(invocation)
    }
  }

  private mutating func read(_ invocation: Invocation) throws(ServerFailure) {
    for option in Usage.specification.options where invocation.value(option.name) == "" && option.value != nil {
      throw Self.wrongUsage("option --\(option.name) needs a value: --\(option.name) \(option.value ?? "")")
    }
    createsStore = invocation.has("create")
    onlyMigrates = invocation.has("migrate")
    allowsPrivateChannels = invocation.has("allow-private-channels")
    certificateFile = invocation.value("tls-certificate")
    keyFile = invocation.value("tls-key")
    if let value = invocation.value("listen") { listen = value }
    if let value = invocation.value("database") { database = try Database(value) }
    if let value = invocation.value("public-url") { publicURL = try Self.publicURL(value) }
    if let value = invocation.value("sms") { codes = try Self.codes(value) }
    if let value = invocation.value("voice") { voiceGateway = try GatewayFile.voiceGateway(value) }
    if let value = invocation.value("smtp") { mailServer = try GatewayFile.mailServer(value, publicURL: publicURL) }
    if let value = invocation.value("alert-burst") {
      alertBurst = try Self.count(value, for: "alert-burst", 4...1_000_000)
    }
    if let value = invocation.value("max-connections") {
      maximumConnections = try Self.count(value, for: "max-connections", 64...1_000_000)
    }
    if let value = invocation.value("max-pages") {
      maximumPages = try Self.count(value, for: "max-pages", 1...1_000_000)
    }
    guard (certificateFile == nil) == (keyFile == nil) else {
      throw Self.wrongUsage("--tls-certificate and --tls-key go together")
    }
  }

  private static func wrongUsage(_ message: String) -> ServerFailure {
    ServerFailure(.usage, message + "\n" + Usage.advice)
  }

  private static func count(
    _ value: String, for option: String, _ allowed: ClosedRange<Int>
  ) throws(ServerFailure) -> Int {
    guard let count = Int(value), allowed.contains(count) else {
      throw ServerFailure(
        .data, "--\(option) must be a number from \(allowed.lowerBound) to \(allowed.upperBound)")
    }
    return count
  }

  private static func publicURL(_ value: String) throws(ServerFailure) -> String {
    var url = value
    while url.hasSuffix("/") { url.removeLast() }
    let scheme = ["https://", "http://"].first { url.lowercased().hasPrefix($0) }
    guard let scheme, url.utf8.count > scheme.utf8.count, url.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
      !url.contains("?"), !url.contains("#")
    else { throw ServerFailure(.data, "--public-url must be like https://lifesignal.example.org") }
    return url
  }

  private static func codes(_ value: String) throws(ServerFailure) -> CodeDelivery {
    value == "console" ? .console : .gateway(try GatewayFile.gateway(value, for: "sms"))
  }
}

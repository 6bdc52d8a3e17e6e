import Arguments
import ServerCore
import ServerHTTP

/// What the settings mean.
struct ServerOptions: Sendable {
  var listen = "127.0.0.1:8080"
  /// Where the operator's pages are; nil: nowhere.
  var operatorListen: String?
  var logForm = ProcessSetup.writesToJournal ? ServerLog.Form.journal : .plain
  var logLevel = ServerLog.Level.info
  var database: Database?
  /// Make a new store even if there was one.
  var createsStore = false
  /// Bring the tables up to date, and serve nobody.
  var onlyMigrates = false
  /// Believed about where requests come from.
  var trustedProxies = TrustedProxies()
  var publicURL: String?
  var allowsPrivateChannels = false
  var codes = CodeDelivery.none
  var voiceGateway: GatewayTemplate?
  var mailServer: MailServer?
  var certificateFile: String?
  var keyFile: String?
  var limits = ServerLimits()
  /// New alerts that one device may send at once; nil: the default.
  var alertBurst: Int?
  /// One-time codes in an hour, to one country and in all; nil: the default.
  var codesPerCountry: Int?
  var codesInTotal: Int?
  /// Beyond those, for devices that show a proof of work; nil: the default.
  var codesForWork: Int?
  var retention = Retention()

  /// Throws `usage` for settings that do not go together, `data` for values that cannot be used.
  init(_ settings: Settings) throws(ServerFailure) {
    var faults = SettingFaults()
    self.init(settings, &faults)
    try faults.throwFirst()
  }

  /// What is wrong is noted, and stays as it is without a setting.
  init(_ settings: Settings, _ faults: inout SettingFaults) {
    createsStore = settings.has("create")
    onlyMigrates = settings.has("migrate")
    allowsPrivateChannels = settings.has("allow-private-channels")
    certificateFile = settings.value("tls-certificate")
    keyFile = settings.value("tls-key")
    if let value = settings.value("listen") { listen = value }
    if let value = settings.value("database") { database = faults.noting(try Database(value)) }
    operatorListen = settings.value("operator")
    readLog(settings, &faults)
    if let value = settings.value("trusted-proxy") {
      trustedProxies = faults.noting(try Self.proxies(value)) ?? .init()
    }
    if let value = settings.value("public-url") { publicURL = faults.noting(try Self.publicURL(value)) }
    readGateways(settings, &faults)
    readCounts(settings, &faults)
    if (certificateFile == nil) != (keyFile == nil) {
      faults.add(Self.wrongUsage("--tls-certificate and --tls-key go together"))
    }
  }

  private mutating func readLog(_ settings: Settings, _ faults: inout SettingFaults) {
    if let value = settings.value("log"),
      let form = faults.noting(try Self.choice(value, for: "log", ServerLog.Form.allCases, \.rawValue))
    {
      logForm = form
    }
    if let value = settings.value("log-level"),
      let level = faults.noting(try Self.choice(value, for: "log-level", ServerLog.Level.allCases, \.name))
    {
      logLevel = level
    }
  }

  private mutating func readGateways(_ settings: Settings, _ faults: inout SettingFaults) {
    if let value = settings.value("sms") { codes = faults.noting(try Self.codes(value)) ?? .none }
    if let value = settings.value("voice") { voiceGateway = faults.noting(try GatewayFile.voiceGateway(value)) }
    // A URL alone needs the public one too: where that is wrong, it is the fault.
    let lacksAddress = publicURL == nil && settings.value("public-url") != nil
    if let value = settings.value("smtp"), !lacksAddress || !value.contains("://") {
      mailServer = faults.noting(try GatewayFile.mailServer(value, publicURL: publicURL))
    }
  }

  private mutating func readCounts(_ settings: Settings, _ faults: inout SettingFaults) {
    func count(_ name: String, _ allowed: ClosedRange<Int>) -> Int? {
      guard let value = settings.value(name) else { return nil }
      return faults.noting(try Self.count(value, for: name, allowed))
    }
    alertBurst = count("alert-burst", 4...1_000_000)
    codesPerCountry = count("codes-per-country", 0...1_000_000)
    codesInTotal = count("codes-in-total", 0...1_000_000)
    codesForWork = count("codes-for-work", 0...1_000_000)
    let days = Retention.minimumDays...36_500
    if let places = count("keep-places", days) { retention.placesDays = places }
    retention.alertDays = count("keep-alerts", days)
    for limit in ServerLimits.settings {
      if let number = count(limit.name, limit.range) { limit.set(&limits, number) }
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

  private static func proxies(_ value: String) throws(ServerFailure) -> TrustedProxies {
    for part in value.split(separator: ",", omittingEmptySubsequences: false) where TrustedProxies(String(part)) == nil
    {
      throw ServerFailure(.data, "--trusted-proxy: “\(part)” is no address, no range like 10.0.0.0/8, and not unix")
    }
    guard let proxies = TrustedProxies(value) else { throw ServerFailure(.data, "--trusted-proxy has no address") }
    return proxies
  }

  private static func choice<Choice>(
    _ value: String, for option: String, _ choices: [Choice], _ name: (Choice) -> String
  ) throws(ServerFailure) -> Choice {
    for choice in choices where name(choice) == value { return choice }
    throw ServerFailure(.data, "--\(option) must be one of \(choices.map(name).joined(separator: ", "))")
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

// What is made of them.
extension ServerOptions {
  func listenAddress() throws(ServerFailure) -> ListenAddress {
    let address: ListenAddress
    do throws(ServerError) {
      address = try ListenAddress(listen)
    } catch {
      throw ServerFailure(.data, "--listen: \(error.message)")
    }
    guard address.family == .unix else { return address }
    guard publicURL != nil else {
      throw ServerFailure(.data, "--listen unix:… needs --public-url: the address that devices and responders open")
    }
    guard certificateFile == nil else {
      throw ServerFailure(.data, "--listen unix:… speaks no TLS: the proxy before it does")
    }
    return address
  }

  func operatorAddress() throws(ServerFailure) -> ListenAddress? {
    guard let operatorListen else { return nil }
    let address: ListenAddress
    do throws(ServerError) {
      address = try ListenAddress(operatorListen)
    } catch {
      throw ServerFailure(.data, "--operator: \(error.message)")
    }
    guard operatorListen != listen || address.family != .unix && address.port == 0 else {
      throw ServerFailure(.data, "--operator and --listen need different addresses")
    }
    guard address.isLocal else {
      throw ServerFailure(
        .data,
        "--operator: only this machine may reach it, such as 127.0.0.1:8081 or unix:/run/lifesignal-server/operator.sock"
      )
    }
    return address
  }

  func url(ofOperator address: ListenAddress) -> String {
    address.family == .unix ? "\(address)" : "http://\(address)\(LifeSignalServer.overviewPath)"
  }

  /// The host of the address under which others reach the server; nil where no setting says it.
  var publicHost: String? {
    guard let authority = publicURL?.split(separator: "/", omittingEmptySubsequences: false).dropFirst(2).first else {
      return nil
    }
    let host = authority.split(separator: "@").last ?? authority
    if host.hasPrefix("["), let end = host.firstIndex(of: "]") { return String(host[..<end].dropFirst()) }
    return String(host.prefix { $0 != ":" })
  }

  /// Nil without TLS. Its texts are read, and not checked.
  func identity() throws(ServerFailure) -> TLSIdentity? {
    guard let certificateFile, let keyFile else { return nil }
    return TLSIdentity(
      certificate: try TextFile.read(certificateFile, for: "--tls-certificate"),
      key: try TextFile.read(keyFile, for: "--tls-key"))
  }

  /// - Parameter address: where the server listens.
  func configuration(at address: ListenAddress) -> ServerConfiguration {
    var configuration = ServerConfiguration(
      publicURL: publicURL ?? url(of: address), allowsPrivateChannels: allowsPrivateChannels)
    configuration.voiceGateway = voiceGateway
    configuration.mailServer = mailServer
    if let alertBurst { configuration.limits.newAlerts.burst = alertBurst }
    if let codesPerCountry { configuration.authentication.codesPerCountryAndHour = codesPerCountry }
    if let codesInTotal { configuration.authentication.codesInTotalPerHour = codesInTotal }
    if let codesForWork { configuration.authentication.codesForWorkPerHour = codesForWork }
    configuration.retention = retention
    return configuration
  }

  func url(of address: ListenAddress) -> String {
    address.family == .unix ? "\(address)" : "\(certificateFile == nil ? "http" : "https")://\(address)"
  }
}

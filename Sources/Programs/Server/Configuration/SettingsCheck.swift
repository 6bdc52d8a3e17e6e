import Arguments
import Glibc
import Model
import ServerCore
import ServerHTTP

/// `--check-config`: all that is wrong with the settings, and what an operator should know of them.
///
/// Opens nothing but the files that the settings name, and changes nothing.
struct SettingsCheck {
  private let settings: Settings
  private let options: ServerOptions
  private var faults: SettingFaults
  /// The server starts all the same.
  private var warnings: [String] = []
  private var notes: [String] = []

  /// Throws the only fault, or the number of faults after it told each on standard error.
  static func run(_ invocation: Invocation) throws(ServerFailure) {
    var faults = SettingFaults()
    let packaged = isOnlyAsked(invocation) ? AdminSettings.packagedFile : nil
    var check = SettingsCheck(try Settings(invocation, otherwise: packaged, &faults), faults)
    if let packaged { check.notes.append("these are the settings of \(packaged)") }
    check.examine(at: LiveMoment.now())
    try check.tell()
  }

  /// Whether the command line sets nothing itself: then an operator means the settings of the Debian package, if it is here.
  private static func isOnlyAsked(_ invocation: Invocation) -> Bool {
    invocation.value("config") == nil
      && !ConfigurationFile.settings.contains { invocation.value($0.name) != nil || invocation.has($0.name) }
  }

  private init(_ settings: Settings, _ faults: SettingFaults) {
    self.settings = settings
    self.faults = faults
    options = ServerOptions(settings, &self.faults)
  }

  private mutating func examine(at now: Timestamp) {
    let listen = faults.noting(try options.listenAddress())
    let operatorListen = faults.noting(try options.operatorAddress()) ?? nil
    for (name, address) in [("listen", listen), ("operator", operatorListen)] {
      if let address { examine(address, name) }
    }
    if let listen, let operatorListen, listen.port == operatorListen.port, listen.port != 0 {
      warnings.append(
        "--operator and --listen have the same port: where both addresses overlap, the server does not start")
    }
    if let listen { examineEncryption(listen) }
    if let warning = Self.warning(ofUser: geteuid(), serverUser: getpwnam(Self.serverUser)?.pointee.pw_uid) {
      warnings.append(warning)
    }
    examineDatabase()
    if let identity = faults.noting(try options.identity()) ?? nil { examine(identity, at: now) }
    examineRetention()
    if settings.value("sms") == nil { warnings.append("no --sms: codes cannot be sent, so nobody can sign in") }
  }

  /// A warning: the unit that starts the server may have a right that this command has not.
  private mutating func examine(_ address: ListenAddress, _ name: String) {
    guard !ProcessSetup.mayListen(on: address.port) else { return }
    warnings.append("--\(name) \(address): here this user may not use \(ProcessSetup.portAdvice)")
  }

  /// Of numbers, codes and places that others on the way could read.
  private mutating func examineEncryption(_ address: ListenAddress) {
    if let url = options.publicURL, url.hasPrefix("http:"), !Self.isOfThisMachine(options.publicHost) {
      warnings.append("--public-url \(url): without https:// others on the way read and change what is sent")
    }
    guard options.certificateFile == nil, address.family != .unix, !address.isLocal else { return }
    warnings.append(
      "--listen \(address): without --tls-certificate only a proxy with TLS should reach it; others on the way read all"
    )
  }

  private static func isOfThisMachine(_ host: String?) -> Bool {
    guard let host else { return false }
    return host == "localhost" || host == "::1" || host.hasPrefix("127.")
  }

  /// The user of the Debian package.
  private static let serverUser = "lifesignal-server"

  /// Nil where the server's user, or any other than root, makes the check, and where there is no such user.
  static func warning(ofUser user: UInt32, serverUser: UInt32?) -> String? {
    guard user == 0, serverUser != nil else { return nil }
    return "checked as root, who may read every file. To check what the server may: "
      + "runuser -u \(Self.serverUser) -- lifesignal-server --check-config"
  }

  private mutating func examineDatabase() {
    let isUsual = settings.value("database") == nil
    let path: String?
    switch options.database {
    case .file(let chosen): path = chosen
    case .postgres(let url):
      path = nil
      if let fault = Database.fault(ofPostgres: url) { faults.add("--database: \(fault)") }
    case nil: path = isUsual ? faults.noting(try DatabaseFolder.defaultFile(makesFolders: false)) : nil
    }
    if let path, let fault = DatabaseFolder.fault(of: path, makesFolders: isUsual) {
      faults.add("--database: \(fault)")
    }
  }

  private mutating func examineRetention() {
    let retention = options.retention
    let alerts =
      retention.alertDays.map { "what it said and whom it told for \($0)" } ?? "everything else as long as its account"
    notes.append(
      "of an alert that has ended, places are kept for \(retention.effectivePlacesDays) days, and \(alerts)")
    guard retention.effectivePlacesDays < retention.placesDays else { return }
    warnings.append(
      "--keep-places \(retention.placesDays): places go with their alert, after the \(retention.effectivePlacesDays) days of --keep-alerts"
    )
  }

  private mutating func examine(_ identity: TLSIdentity, at now: Timestamp) {
    do throws(ServerError) {
      try identity.check()
    } catch {
      return faults.add("--tls-certificate: \(error.message)")
    }
    let certificate = CertificateCheck(identity, of: options, at: now)
    warnings += certificate.warnings
    if let note = certificate.note { notes.append(note) }
  }

  private func tell() throws(ServerFailure) {
    for warning in warnings { writeLine("lifesignal-server: warning: \(warning)", to: STDERR_FILENO) }
    guard faults.all.count < 2 else {
      for fault in faults.all { writeLine("lifesignal-server: \(fault.message)", to: STDERR_FILENO) }
      throw ServerFailure(.data, "\(faults.all.count) faults: these settings cannot be used")
    }
    try faults.throwFirst()
    for line in settings.lines { writeLine(line, to: STDOUT_FILENO) }
    for note in notes { writeLine("lifesignal-server: \(note)", to: STDOUT_FILENO) }
    writeLine("lifesignal-server: these settings can be used", to: STDOUT_FILENO)
  }
}

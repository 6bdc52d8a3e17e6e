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
    var check = SettingsCheck(try Settings(invocation, &faults), faults)
    check.examine(at: LiveMoment.now())
    try check.tell()
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
    examineDatabase()
    if let identity = faults.noting(try options.identity()) ?? nil { examine(identity, at: now) }
    examineRetention()
    if settings.value("sms") == nil { warnings.append("no --sms: codes cannot be sent, so nobody can sign in") }
  }

  /// A warning: the unit that starts the server may have a right that this command has not.
  private mutating func examine(_ address: ListenAddress, _ name: String) {
    guard !ProcessSetup.mayListen(on: address.port) else { return }
    warnings.append(
      "--\(name) \(address): here this user may not use a port below 1024. Under systemd a unit may with "
        + "AmbientCapabilities=CAP_NET_BIND_SERVICE, CapabilityBoundingSet=CAP_NET_BIND_SERVICE and PrivateUsers=no "
        + "(systemctl edit lifesignal-server)")
  }

  private mutating func examineDatabase() {
    let isUsual = settings.value("database") == nil
    let path: String?
    switch options.database {
    case .file(let chosen): path = chosen
    case .postgres: path = nil
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
    let host = options.publicHost
    guard let validity = identity.validity(for: host) else { return }
    let name = "--tls-certificate \(options.certificateFile ?? "")"
    if now >= validity.until {
      warnings.append("\(name): expired at \(validity.until), so devices refuse it")
    } else if now < validity.from {
      warnings.append("\(name): valid only from \(validity.from), so devices refuse it")
    } else if validity.until.milliseconds(since: now) < Self.soonMilliseconds {
      warnings.append("\(name): expires soon, at \(validity.until)")
    } else {
      notes.append("the certificate is valid until \(validity.until)")
    }
    guard let host, !validity.namesHost else { return }
    warnings.append(
      "\(name): it is not for \(host), the host of --public-url. Devices that come here with that name refuse it")
  }

  /// A renewal is overdue.
  private static let soonMilliseconds: Int64 = 14 * 86_400_000

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

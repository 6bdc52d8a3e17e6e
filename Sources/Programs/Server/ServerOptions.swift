import ServerHTTP

/// The command line, read.
struct ServerOptions {
  var listen = "127.0.0.1:8080"
  var database: String?
  /// A new store may be made where there was one.
  var createsStore = false
  var publicURL: String?
  var allowsPrivateChannels = false
  var codes = CodeDelivery.none
  var certificateFile: String?
  var keyFile: String?
  /// New alerts that one device may send at once; nil: the default.
  var alertBurst: Int?
  var showsHelp = false
  var showsVersion = false

  /// Throws `usage` for what is unknown or incomplete, `data` for a value that cannot be used.
  init(_ arguments: [String]) throws(ServerFailure) {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      let name = parts[0]
      let attached = parts.count == 2 ? parts[1] : nil
      if try setFlag(name, attached) { continue }
      guard Self.takingValues.contains(name) else {
        throw ServerFailure(.usage, "unknown option \(name)\n\(Usage.summary)")
      }
      guard let value = attached ?? rest.popFirst(), !value.isEmpty else {
        throw ServerFailure(.usage, "\(name) needs a value\n\(Usage.summary)")
      }
      try set(name, to: value)
    }
    guard (certificateFile == nil) == (keyFile == nil) else {
      throw ServerFailure(.usage, "--tls-certificate and --tls-key go together\n\(Usage.summary)")
    }
  }

  private static let takingValues: Set<String> = [
    "--listen", "--database", "--public-url", "--sms", "--tls-certificate", "--tls-key", "--alert-burst",
  ]

  /// False where `name` is not a flag.
  private mutating func setFlag(_ name: String, _ attached: String?) throws(ServerFailure) -> Bool {
    switch name {
    case "--allow-private-channels": allowsPrivateChannels = true
    case "--create": createsStore = true
    case "--help", "-h": showsHelp = true
    case "--version": showsVersion = true
    default: return false
    }
    guard attached == nil else { throw ServerFailure(.usage, "\(name) takes no value\n\(Usage.summary)") }
    return true
  }

  private mutating func set(_ name: String, to value: String) throws(ServerFailure) {
    switch name {
    case "--listen": listen = value
    case "--database": database = try Self.file(value)
    case "--public-url": publicURL = try Self.publicURL(value)
    case "--sms": codes = try Self.codes(value)
    case "--tls-certificate": certificateFile = value
    case "--alert-burst": alertBurst = try Self.alertBurst(value)
    default: keyFile = value
    }
  }

  private static func file(_ value: String) throws(ServerFailure) -> String {
    guard !value.hasPrefix("postgres://"), !value.hasPrefix("postgresql://") else {
      throw ServerFailure(.usage, "PostgreSQL is not built yet: give --database the path of an SQLite file")
    }
    return value
  }

  private static func alertBurst(_ value: String) throws(ServerFailure) -> Int {
    guard let burst = Int(value), (4...1_000_000).contains(burst) else {
      throw ServerFailure(.data, "--alert-burst must be a number from 4 to 1000000")
    }
    return burst
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
    if value == "console" { return .console }
    let loopback = ["http://127.0.0.1", "http://localhost", "http://[::1]"]
    guard value.hasPrefix("https://") || loopback.contains(where: { value.hasPrefix($0) }) else {
      throw ServerFailure(.data, "--sms must be console, or the https:// URL of an SMS gateway")
    }
    return .gateway(value)
  }
}

import Arguments

/// What the operator says: the command line, and behind it the file that it names.
struct Settings {
  private let commandLine: Invocation
  private let file: ConfigurationFile?

  /// Reads the file. Throws `data` where something in it is wrong, and `usage` for an option without its value.
  /// - Parameter names: the settings that are asked for in it; nil: all.
  init(_ commandLine: Invocation, only names: Set<String>? = nil) throws(ServerFailure) {
    var faults = SettingFaults()
    try self.init(commandLine, only: names, &faults)
    try faults.throwFirst()
  }

  /// The same, but that lines of the file that are wrong are noted and left out.
  /// - Parameter other: the file where the command line names none.
  init(
    _ commandLine: Invocation, only names: Set<String>? = nil, otherwise other: String? = nil,
    _ faults: inout SettingFaults
  ) throws(ServerFailure) {
    for option in Usage.specification.options where commandLine.value(option.name) == "" && option.value != nil {
      throw ServerFailure(
        .usage,
        "option --\(option.name) needs a value: --\(option.name) \(option.value ?? "")\n\(Usage.advice)")
    }
    self.commandLine = commandLine
    file =
      if let path = commandLine.value("config") ?? other {
        try ConfigurationFile(path: path, only: names, &faults)
      } else { nil }
  }

  /// Nil if neither says it.
  func value(_ name: String) -> String? { commandLine.value(name) ?? file?.value(name) }

  func has(_ flag: String) -> Bool { commandLine.has(flag) || file?.value(flag) == "yes" }

  /// All that is set, in the order of the help: for an operator to look at. A gateway's URL may hold a key, so only its host is shown.
  var lines: [String] {
    ConfigurationFile.settings.compactMap { setting in
      if setting.value == nil { return has(setting.name) ? "\(setting.name) = yes" : nil }
      guard let value = value(setting.name) else { return nil }
      return "\(setting.name) = \(Self.gateways.contains(setting.name) ? Self.withoutKeys(value) : value)"
    }
  }

  private static let gateways: Set = ["sms", "smtp", "voice"]

  private static func withoutKeys(_ value: String) -> String {
    let parts = value.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
    guard value.contains("://"), parts.count > 2 else { return value }
    return "\(parts[0])//\(parts[2].split(separator: "@").last ?? "")\(parts.count > 3 ? "/…" : "")"
  }
}

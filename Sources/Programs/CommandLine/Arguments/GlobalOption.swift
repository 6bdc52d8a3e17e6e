import Arguments

/// The options that every command takes.
enum GlobalOption {
  static let home = "home"
  static let json = "json"
  static let noColor = "no-color"
  static let quiet = "quiet"
  static let verbose = "verbose"

  static let all: [OptionSpecification] = [
    .value(
      home, "DIR", "where this device saves its data (default: $LIFESIGNAL_HOME)", completion: .directories),
    .flag(json, "write JSON, errors too; one object a line for lists"),
    .flag(noColor, "no color (also when NO_COLOR is set)"),
    .flag(quiet, letter: "q", "show errors and warnings alone; alerts are reported all the same"),
    .flag(verbose, letter: "v", "show which data and server are used, and an error's code"),
    StandardOption.help,
    StandardOption.version,
  ]
}

extension Invocation {
  var isJSON: Bool { has(GlobalOption.json) }
}

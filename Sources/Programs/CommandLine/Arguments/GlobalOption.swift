/// The options that every command takes.
enum GlobalOption {
  static let home = "home"
  static let json = "json"
  static let noColor = "no-color"
  static let quiet = "quiet"
  static let verbose = "verbose"
  static let help = "help"
  static let version = "version"

  static let all: [OptionSpecification] = [
    .value(
      home, "DIR", "where this device keeps its store (default: $LIFESIGNAL_HOME)", completion: .directories),
    .flag(json, "write JSON, errors too; one object a line for lists"),
    .flag(noColor, "no colour (also when NO_COLOR is set)"),
    .flag(quiet, letter: "q", "show errors and warnings alone"),
    .flag(verbose, letter: "v", "show the code and the exit status of an error too"),
    .flag(help, letter: "h", "show this help"),
    .flag(version, "say which version this is"),
  ]
}

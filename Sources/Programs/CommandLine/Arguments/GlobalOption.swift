/// The options that every command takes.
enum GlobalOption {
  static let home = "home"
  static let json = "json"
  static let noColor = "no-color"
  static let help = "help"
  static let version = "version"

  static let all: [OptionSpecification] = [
    .value(
      home, "DIR", "where this device keeps its store (default: $LIFESIGNAL_HOME)", completion: .directories),
    .flag(json, "write JSON, errors too; one object a line for lists"),
    .flag(noColor, "no colour (also when NO_COLOR is set)"),
    .flag(help, letter: "h", "explain the command and do nothing else"),
    .flag(version, "say which version this is"),
  ]
}

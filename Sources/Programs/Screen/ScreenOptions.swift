import Arguments

/// What the command line hands over: `[--home DIR] [--no-color]`.
struct ScreenOptions: Equatable {
  var home: String?
  var hasColor = true

  static let specification = CommandSpecification(
    name: "lifesignal-screen",
    summary: "the terminal screen of LifeSignal; usually started as “lifesignal screen”",
    options: [
      .value("home", "DIR", "where this device saves its data (default: $LIFESIGNAL_HOME)", completion: .directories),
      .flag("no-color", "no colour (also when NO_COLOR is set)"),
    ],
    examples: ["lifesignal screen", "lifesignal-screen --no-color"],
    closing: "Exit status: 0 done, 64 wrong usage or no terminal, 73 the data cannot be opened.")

  static let standardOptions = [StandardOption.help, StandardOption.version]

  init(_ invocation: Invocation, environment: (String) -> String?) {
    home = invocation.value("home")
    // https://no-color.org
    hasColor = !invocation.has("no-color") && (environment("NO_COLOR") ?? "").isEmpty
  }
}

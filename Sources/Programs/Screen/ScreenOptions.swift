import Arguments

/// The options of the command line: `[--home DIR] [--no-color]`.
struct ScreenOptions: Equatable {
  var home: String?
  var hasColor = true

  static let specification = CommandSpecification(
    name: "lifesignal-screen",
    summary: ProgramTexts.summary,
    options: [
      .value("home", "DIR", ProgramTexts.home, completion: .directories),
      .flag("no-color", ProgramTexts.noColor),
    ],
    examples: ["lifesignal screen", "lifesignal-screen --no-color"],
    closing: ProgramTexts.closing)

  static let standardOptions = [StandardOption.help, StandardOption.version]

  init(_ invocation: Invocation, environment: (String) -> String?) {
    home = invocation.value("home")
    // https://no-color.org
    hasColor = !invocation.has("no-color") && (environment("NO_COLOR") ?? "").isEmpty
  }
}

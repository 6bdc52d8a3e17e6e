/// What the command line hands over: `[--home DIR] [--no-color]`.
struct ScreenOptions: Equatable {
  var home: String?
  var hasColor = true

  /// Nil where the arguments mean something else.
  init?(_ arguments: [String], environment: (String) -> String?) {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      switch argument {
      case "--home":
        guard let value = rest.popFirst() else { return nil }
        home = value
      case "--no-color": hasColor = false
      default: return nil
      }
    }
    // https://no-color.org
    if !(environment("NO_COLOR") ?? "").isEmpty { hasColor = false }
  }
}

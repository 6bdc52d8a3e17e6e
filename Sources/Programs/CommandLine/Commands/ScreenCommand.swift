import Glibc

/// `screen`: hands this process over to the program that draws the screen, which lies beside this one.
enum ScreenCommand {
  static let program = "lifesignal-screen"

  /// Returns only by throwing.
  static func run(_ context: Context) throws(Failure) -> ExitStatus {
    guard !context.console.isJSON else {
      throw Failure(
        .usage, "usage", "the screen is for a person and writes no JSON. See: lifesignal alert status --json")
    }
    guard context.console.isInteractive else {
      throw Failure(
        .usage, "not_a_terminal",
        "the screen needs a terminal. Without one: lifesignal alert activate --yes, lifesignal alert status")
    }
    let path = try path()
    var arguments = [program, "--home", try context.home().path]
    if context.invocation.has(GlobalOption.noColor) { arguments.append("--no-color") }
    let words = arguments.map { strdup($0) } + [nil]
    // Comes back only where it failed.
    _ = execv(path, words)
    let reason = String(cString: strerror(errno))
    for word in words { free(word) }
    throw Failure(.usage, "not_available", "cannot start \(path): \(reason). " + advice)
  }

  private static let advice =
    "tools/build makes it. Until then: lifesignal alert activate, lifesignal alert status"

  /// Where the program lies. Throws where it does not.
  private static func path() throws(Failure) -> String {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/self/exe", &buffer, buffer.count - 1)
    guard count > 0 else {
      throw Failure(.usage, "not_available", "cannot tell where this program lies: \(String(cString: strerror(errno)))")
    }
    let executable = String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let folder = executable.lastIndex(of: "/").map { String(executable[...$0]) } ?? ""
    let path = folder + program
    guard access(path, X_OK) == 0 else {
      throw Failure(.usage, "not_available", "\(program) does not lie beside this program, at \(path). " + advice)
    }
    return path
  }
}

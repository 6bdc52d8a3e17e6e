import Glibc
import SystemKit

/// `screen`: replaces this process by the program that draws the screen, which is in the same folder.
enum ScreenCommand {
  static let program = "lifesignal-screen"

  /// Returns only by throwing.
  static func run(_ context: Context) throws(Failure) -> ExitStatus {
    guard !context.console.isJSON else {
      throw Failure(.usage, "usage", AccountTexts.screenIsNoJSON)
    }
    guard context.console.isInteractive else {
      throw Failure(.usage, "not_a_terminal", AccountTexts.screenNeedsTerminal)
    }
    let path = try path()
    var arguments = [program, "--home", try context.home().path]
    if context.invocation.has(GlobalOption.noColor) { arguments.append("--no-color") }
    let words = arguments.map { strdup($0) } + [nil]
    // Returns only on failure.
    _ = execv(path, words)
    let reason = String(cString: strerror(errno))
    for word in words { free(word) }
    throw Failure(.usage, "not_available", AccountTexts.screenFailed(path, reason))
  }

  /// The screen program's path, in the folder of this program. Throws if it is not there.
  private static func path() throws(Failure) -> String {
    guard let executable = OwnExecutable.path, let end = executable.lastIndex(of: "/") else {
      throw Failure(.usage, "not_available", AccountTexts.screenUnknownPlace)
    }
    let path = String(executable[...end]) + program
    guard access(path, X_OK) == 0 else {
      throw Failure(.usage, "not_available", AccountTexts.screenMissing(path))
    }
    return path
  }
}

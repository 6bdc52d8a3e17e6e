import Arguments

/// `completions SHELL` and `help`.
enum CompletionsCommand {
  static func run(_ context: Context) throws(Failure) -> ExitStatus {
    let shell = context.invocation.argument(0) ?? ""
    let script = CompletionScript.text(for: shell, root: CommandTable.root, globalOptions: GlobalOption.all)
    guard let script else {
      let shells = CompletionScript.shells.joined(separator: ", ")
      throw Failure(.badData, "unknown_shell", AccountTexts.unknownShell(shells))
    }
    context.console.write(script)
    return .done
  }
}

enum HelpCommand {
  /// Explains the command that the arguments name; the program without any.
  static func run(_ context: Context) throws(Failure) -> ExitStatus {
    var path = [CommandTable.root]
    for word in context.invocation.arguments {
      guard let next = path[path.count - 1].subcommand(named: word) else {
        throw Failure(.usage, "usage", AccountTexts.unknownCommand(word.printable))
      }
      path.append(next)
    }
    context.console.write(HelpText.help(path, globalOptions: GlobalOption.all))
    return .done
  }
}

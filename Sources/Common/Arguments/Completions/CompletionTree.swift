/// One command for a completion script: its path, and the words that may follow it.
package struct CompletionNode {
  /// The commands' names joined with spaces, without the program's: empty, `alert`, `alert activate`.
  package let path: String
  package let command: CommandSpecification
  package let options: [OptionSpecification]

  /// The whole tree, parents before children.
  package static func all(root: CommandSpecification, globalOptions: [OptionSpecification]) -> [CompletionNode] {
    collect(root, path: "", globalOptions)
  }

  private static func collect(
    _ command: CommandSpecification, path: String, _ globalOptions: [OptionSpecification]
  ) -> [CompletionNode] {
    let node = CompletionNode(path: path, command: command, options: command.options + globalOptions)
    return [node]
      + command.subcommands.flatMap {
        collect($0, path: path.isEmpty ? $0.name : path + " " + $0.name, globalOptions)
      }
  }

  /// The words without a dash that may follow: the subcommands, otherwise the values of the first argument.
  var words: [String] {
    if !command.subcommands.isEmpty { return command.subcommands.map(\.name) }
    if case .words(let words) = command.arguments.first?.completion { return words }
    return []
  }
}

/// The completion scripts for the supported shells.
package enum CompletionScript {
  package static let shells = ["bash", "zsh", "fish"]

  /// Nil for a shell that is not one of `shells`.
  package static func text(
    for shell: String, root: CommandSpecification, globalOptions: [OptionSpecification]
  ) -> String? {
    let nodes = CompletionNode.all(root: root, globalOptions: globalOptions)
    switch shell {
    case "bash": return BashCompletion.script(program: root.name, nodes)
    case "zsh": return ZshCompletion.script(program: root.name, nodes)
    case "fish": return FishCompletion.script(program: root.name, nodes)
    default: return nil
    }
  }
}

// Shared by the scripts for bash and zsh.
extension CompletionNode {
  /// The options that take a value, without duplicates.
  static func optionsWithValue(_ nodes: [CompletionNode]) -> [String] {
    let options = nodes.flatMap(\.options).filter { $0.value != nil }
    return Set(options.map { "--" + $0.name } + options.compactMap { $0.letter.map { "-\($0)" } }).sorted()
  }

  /// The branches of a `case` that goes from a command to its subcommand.
  static func steps(_ nodes: [CompletionNode]) -> String {
    nodes.dropFirst().map { node in
      let parent = node.path.split(separator: " ").dropLast().joined(separator: " ")
      return "      \"\(parent) \(node.command.name)\") reached=\"\(node.path)\" ;;"
    }.joined(separator: "\n")
  }
}

/// Makes completions for fish: one line for each command, option and word.
enum FishCompletion {
  static func script(program: String, _ nodes: [CompletionNode]) -> String {
    """
    # fish completion for \(program). Load it with: \(program) completions fish | source
    function __\(program)_at
      set -l reached
      set -l skip 0
      for word in (commandline -opc)[2..-1]
        if test $skip = 1
          set skip 0
          continue
        end
        switch $word
          case \(CompletionNode.optionsWithValue(nodes).joined(separator: " "))
            set skip 1
          case '-*'
            continue
          case '*'
            switch "$reached $word"
              case \(nodes.dropFirst().map { quoted(step($0)) }.joined(separator: " "))
                set reached (string trim "$reached $word")
            end
        end
      end
      test "$reached" = "$argv[1]"
    end
    complete -c \(program) -f
    \(nodes.flatMap { lines(program, $0) }.joined(separator: "\n"))

    """
  }

  private static func step(_ node: CompletionNode) -> String {
    node.path.split(separator: " ").dropLast().joined(separator: " ") + " " + node.command.name
  }

  private static func lines(_ program: String, _ node: CompletionNode) -> [String] {
    let start = "complete -c \(program) -n " + quoted("__\(program)_at \"\(node.path)\"")
    let commands = node.command.subcommands.map { "\(start) -a \($0.name) -d \(quoted($0.summary))" }
    let words = node.command.subcommands.isEmpty ? node.words.map { "\(start) -a \($0)" } : []
    return commands + words + node.options.map { "\(start)\(option($0)) -d \(quoted($0.help))" }
  }

  private static func option(_ option: OptionSpecification) -> String {
    let name = " -l \(option.name)" + (option.letter.map { " -s \($0)" } ?? "")
    guard option.value != nil else { return name }
    return switch option.completion {
    case .none: name + " -x"
    case .directories: name + " -x -a '(__fish_complete_directories)'"
    case .files: name + " -r -F"
    case .words(let words): name + " -x -a \(quoted(words.joined(separator: " ")))"
    }
  }

  private static func quoted(_ text: String) -> String {
    "'" + text.map { $0 == "'" || $0 == "\\" ? "\\\($0)" : String($0) }.joined() + "'"
  }
}

/// Makes a completion function for zsh that shows the help of each command and option.
enum ZshCompletion {
  static func script(program: String, _ nodes: [CompletionNode]) -> String {
    """
    #compdef \(program)
    # zsh completion for \(program). Load it with: source <(\(program) completions zsh)
    _\(program)() {
      local reached="" word skip=""
      local -a candidates
      local position
      for ((position = 2; position < CURRENT; position++)); do
        word="${words[position]}"
        if [[ -n $skip ]]; then skip=""; continue; fi
        case "$word" in
          \(CompletionNode.optionsWithValue(nodes).joined(separator: "|"))) skip=1; continue ;;
          -*) continue ;;
        esac
        case "$reached $word" in
    \(CompletionNode.steps(nodes))
        esac
      done
      case "$reached:${words[CURRENT-1]}" in
    \(valueCases(nodes))
      esac
      case "$reached" in
    \(nodes.map(pathCase).joined(separator: "\n"))
      esac
    }
    if [[ "${funcstack[1]}" == "_\(program)" ]]; then _\(program) "$@"; else compdef _\(program) \(program); fi

    """
  }

  private static func valueCases(_ nodes: [CompletionNode]) -> String {
    nodes.flatMap { node in
      node.options.filter { $0.value != nil }.map {
        "    \"\(node.path):--\($0.name)\") \(reply($0)); return ;;"
      }
    }.joined(separator: "\n")
  }

  private static func reply(_ option: OptionSpecification) -> String {
    switch option.completion {
    case .none: "_message \(quoted(option.help))"
    case .directories: "_files -/"
    case .files: "_files"
    case .words(let words): "compadd -- \(words.joined(separator: " "))"
    }
  }

  private static func pathCase(_ node: CompletionNode) -> String {
    let commands = node.command.subcommands.map { quoted("\($0.name):\($0.summary)") }
    let options = node.options.map { quoted("--\($0.name):\($0.help)") }
    let words = commands.isEmpty ? node.words.map(quoted) : commands
    return """
          "\(node.path)")
            candidates=(\(words.joined(separator: " ")))
            if [[ "${words[CURRENT]}" == -* ]]; then candidates=(\(options.joined(separator: " "))); fi
            _describe '' candidates ;;
      """
  }

  private static func quoted(_ text: String) -> String {
    "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
  }
}

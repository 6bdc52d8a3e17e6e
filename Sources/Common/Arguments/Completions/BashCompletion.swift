/// Makes a completion function for bash 4 and later.
///
/// The function follows the typed words down the tree of commands, skips the values of options, and offers the words
/// that may follow.
enum BashCompletion {
  static func script(program: String, _ nodes: [CompletionNode]) -> String {
    let function = "_" + program
    return """
      # bash completion for \(program). Load it with: source <(\(program) completions bash)
      \(function)() {
        local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}" reached="" word skip=""
        local position
        for ((position = 1; position < COMP_CWORD; position++)); do
          word="${COMP_WORDS[position]}"
          if [[ -n $skip ]]; then skip=""; continue; fi
          case "$word" in
            \(CompletionNode.optionsWithValue(nodes).joined(separator: "|"))) skip=1; continue ;;
            -*) continue ;;
          esac
          case "$reached $word" in
      \(CompletionNode.steps(nodes))
          esac
        done
        case "$reached:$previous" in
      \(valueCases(nodes))
        esac
        case "$reached" in
      \(pathCases(nodes))
        esac
      }
      complete -F \(function) \(program)

      """
  }

  private static func valueCases(_ nodes: [CompletionNode]) -> String {
    nodes.flatMap { node in
      node.options.filter { $0.value != nil }.map {
        "    \"\(node.path):--\($0.name)\") \(reply($0.completion)); return ;;"
      }
    }.joined(separator: "\n")
  }

  private static func reply(_ completion: Completion) -> String {
    switch completion {
    case .none: "COMPREPLY=()"
    case .directories: "mapfile -t COMPREPLY < <(compgen -d -- \"$current\")"
    case .files: "mapfile -t COMPREPLY < <(compgen -f -- \"$current\")"
    case .words(let words): compgen(words)
    }
  }

  private static func pathCases(_ nodes: [CompletionNode]) -> String {
    nodes.map { node in
      let options = node.options.map { "--" + $0.name }
      return """
            "\(node.path)")
              if [[ $current == -* ]]; then \(compgen(options))
              else \(compgen(node.words)); fi ;;
        """
    }.joined(separator: "\n")
  }

  private static func compgen(_ words: [String]) -> String {
    "mapfile -t COMPREPLY < <(compgen -W \"\(words.joined(separator: " "))\" -- \"$current\")"
  }
}

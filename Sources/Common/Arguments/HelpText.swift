/// Formats the usage lines and the help of a command from its specification.
package enum HelpText {
  private static let width = 80

  /// The usage, such as `usage: lifesignal alert activate [--message TEXT] …`, wrapped at 80 columns.
  package static func usage(_ path: [CommandSpecification]) -> String {
    let prefix = "usage: " + path.map(\.name).joined(separator: " ")
    var lines = [prefix]
    for part in usageParts(path[path.count - 1]) {
      if lines[lines.count - 1].count + part.count + 1 > width {
        lines.append(String(repeating: " ", count: min(prefix.count, 24)) + " " + part)
      } else {
        lines[lines.count - 1] += " " + part
      }
    }
    return lines.joined(separator: "\n")
  }

  /// The complete help, with a newline at the end.
  package static func help(_ path: [CommandSpecification], globalOptions: [OptionSpecification]) -> String {
    let command = path[path.count - 1]
    var sections = [usage(path), command.summary.prefix(1).uppercased() + command.summary.dropFirst() + "."]
    if !command.details.isEmpty { sections.append(command.details) }
    let hasNoCommands = path.count == 1 && command.subcommands.isEmpty
    let ownOptions = hasNoCommands ? command.options + globalOptions : command.options
    let lists = [
      ("Commands:", command.subcommands.map { ($0.name, $0.summary) }),
      ("Arguments:", command.arguments.map { ($0.name, $0.help) }),
      ("Options:", ownOptions.map { (label($0), $0.help) }),
      ("Options of every command:", hasNoCommands ? [] : globalOptions.map { (label($0), $0.help) }),
    ]
    for (title, rows) in lists where !rows.isEmpty { sections.append(title + "\n" + table(rows)) }
    if !command.examples.isEmpty {
      sections.append("Examples:\n" + command.examples.map { "  " + $0 }.joined(separator: "\n"))
    }
    if !command.closing.isEmpty { sections.append(command.closing) }
    return sections.joined(separator: "\n\n") + "\n"
  }

  private static func usageParts(_ command: CommandSpecification) -> [String] {
    if command.runsAlone {
      return ["[" + command.subcommands.map(\.name).joined(separator: "|") + "]"] + optionParts(command)
    }
    if command.subcommands.count > 4 { return ["COMMAND"] }
    if !command.subcommands.isEmpty { return [command.subcommands.map(\.name).joined(separator: "|")] }
    let arguments = command.arguments.map { argument in
      let name = argument.name + (argument.takesRest ? "…" : "")
      return argument.isRequired ? name : "[\(name)]"
    }
    return arguments + optionParts(command)
  }

  private static func optionParts(_ command: CommandSpecification) -> [String] {
    command.options.map { option in
      let form = "--" + option.name + (option.value.map { " " + $0 } ?? "")
      return (option.isRequired ? form : "[\(form)]") + (option.isRepeatable ? "…" : "")
    }
  }

  private static func label(_ option: OptionSpecification) -> String {
    (option.letter.map { "-\($0), " } ?? "") + "--" + option.name + (option.value.map { " " + $0 } ?? "")
  }

  private static func table(_ rows: [(String, String)]) -> String {
    let column = min(26, (rows.map(\.0.count).max() ?? 0) + 2)
    return rows.map { name, help in
      let gap = String(repeating: " ", count: max(2, column - name.count))
      let indentation = "\n" + String(repeating: " ", count: column + 2)
      return "  " + name + gap + wrapped(help, width: width - column - 2).joined(separator: indentation)
    }.joined(separator: "\n")
  }

  private static func wrapped(_ text: String, width: Int) -> [String] {
    var lines = [""]
    for word in text.split(separator: " ") {
      let last = lines.count - 1
      if lines[last].isEmpty {
        lines[last] += word
      } else if lines[last].count + word.count < width {
        lines[last] += " " + word
      } else {
        lines.append(String(word))
      }
    }
    return lines
  }
}

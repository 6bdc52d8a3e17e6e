/// A manual page of one command, in roff with the macros of man(7), from the same specification as its help.
package struct ManualPage: Sendable {
  /// Such as `lifesignal-alert-activate.1`.
  package let fileName: String
  package let text: String

  /// What a program prints for `--manual`: the names of its pages, a line each; and for `--manual NAME`: that page, or nil if there is none.
  /// - Parameter section: of the manual: 1 for commands of users, 8 for those of operators.
  package static func answer(
    _ name: String?, of root: CommandSpecification, globalOptions: [OptionSpecification], section: Int
  ) -> String? {
    let pages = all(of: root, globalOptions: globalOptions, section: section)
    guard let name else { return pages.map { $0.fileName + "\n" }.joined() }
    return pages.first { $0.fileName == name }?.text
  }

  /// The pages of a program and of all its commands.
  private static func all(
    of root: CommandSpecification, globalOptions: [OptionSpecification], section: Int
  ) -> [ManualPage] {
    var pages: [ManualPage] = []
    func add(_ path: [CommandSpecification]) {
      let writer = ManualPageWriter(path: path, globalOptions: globalOptions, section: section)
      pages.append(ManualPage(fileName: "\(writer.name).\(section)", text: writer.text()))
      for command in path[path.count - 1].subcommands { add(path + [command]) }
    }
    add([root])
    return pages
  }
}

/// Writes one page.
struct ManualPageWriter {
  let path: [CommandSpecification]
  let globalOptions: [OptionSpecification]
  let section: Int

  private var command: CommandSpecification { path[path.count - 1] }
  var name: String { Self.name(path) }

  private static func name(_ path: [CommandSpecification]) -> String { path.map(\.name).joined(separator: "-") }

  func text() -> String {
    var lines = [
      // Paragraphs are left-aligned and not hyphenated: command names stay whole.
      ".TH \(name.uppercased().escaped) \(section) \"\" \"\(path[0].name.escaped) \(ProgramVersion.current)\" LifeSignal",
      ".nh", ".ad l",
      ".SH NAME", "\(name.escaped) \\- \(command.summary.escaped)",
      ".SH SYNOPSIS", ".nf", HelpText.usage(path).dropPrefix("usage: ").escaped, ".fi",
    ]
    add("DESCRIPTION", prose(command.details), to: &lines)
    add("COMMANDS", command.subcommands.flatMap { Self.item("\(reference(path + [$0]))", $0.summary) }, to: &lines)
    add("ARGUMENTS", command.arguments.flatMap { Self.item("\\fI\($0.name.escaped)\\fR", $0.help) }, to: &lines)
    add("OPTIONS", (command.options + globalOptions).flatMap { Self.item(Self.label($0), $0.help) }, to: &lines)
    add("EXAMPLES", command.examples.isEmpty ? [] : block(command.examples[...]), to: &lines)
    add("NOTES", prose(command.closing), to: &lines)
    add("SEE ALSO", relatives, to: &lines)
    return lines.joined(separator: "\n") + "\n"
  }

  private func add(_ title: String, _ body: [String], to lines: inout [String]) {
    if !body.isEmpty { lines += [".SH \"\(title)\""] + body }
  }

  /// The page of the command above.
  private var relatives: [String] { path.count > 1 ? [reference(path.dropLast())] : [] }

  private func reference(_ path: [CommandSpecification]) -> String { "\\fB\(Self.name(path).escaped)\\fR(\(section))" }

  private static func item(_ label: String, _ help: String) -> [String] { [".TP", label, help.escaped] }

  private static func label(_ option: OptionSpecification) -> String {
    let names = (option.letter.map { ["-\($0)"] } ?? []) + ["--\(option.name)"]
    return names.map { "\\fB\($0.escaped)\\fR" }.joined(separator: ", ")
      + (option.value.map { " \\fI\($0.escaped)\\fR" } ?? "")
  }

  /// Paragraphs are filled; their indented lines, and those with columns, stand as they are.
  private func prose(_ text: String) -> [String] {
    guard !text.isEmpty else { return [] }
    var lines: [String] = [], rest = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)[...]
    while let line = rest.first {
      let isBlock = Self.isOfBlock(line)
      let same = rest.prefix { !$0.isEmpty && Self.isOfBlock($0) == isBlock }
      lines += line.isEmpty ? [".PP"] : isBlock ? block(same) : same.map(\.escaped)
      rest = rest.dropFirst(max(same.count, 1))
    }
    return lines
  }

  /// Two spaces are no prose: an indentation, or a column of a list.
  private static func isOfBlock(_ line: String) -> Bool { line.contains("  ") }

  private func block(_ lines: ArraySlice<String>) -> [String] {
    let indentation = lines.map { $0.prefix { $0 == " " }.count }.min() ?? 0
    return [".RS 4", ".nf"] + lines.map { String($0.dropFirst(indentation)).escaped } + [".fi", ".RE"]
  }
}

extension String {
  /// As roff shows it literally: a hyphen as one that can be copied, and no line is a request.
  fileprivate var escaped: String {
    let text = split(separator: "\n", omittingEmptySubsequences: false).map { line in
      let escaped = line.map { character in
        switch character {
        case "\\": "\\e"
        case "-": "\\-"
        case "^": "\\(ha"
        case "~": "\\(ti"
        case "`": "\\(ga"
        case "'": "\\(aq"
        case "\"": "\\(dq"
        default: String(character)
        }
      }.joined()
      return escaped.hasPrefix(".") ? "\\&" + escaped : escaped
    }
    return text.joined(separator: "\n")
  }

  fileprivate func dropPrefix(_ prefix: String) -> String { hasPrefix(prefix) ? String(dropFirst(prefix.count)) : self }
}

import Arguments
import Foundation
import Testing

@testable import CommandLineTool

@Suite struct `Reading the command line` {
  private func parse(_ words: String...) throws -> ParsedCommandLine {
    try ArgumentParser.parse(words, root: CommandTable.root, globalOptions: GlobalOption.all)
  }

  private func invocation(_ words: String...) throws -> Invocation? {
    guard
      case .run(let invocation) = try ArgumentParser.parse(
        words, root: CommandTable.root, globalOptions: GlobalOption.all)
    else { return nil }
    return invocation
  }

  @Test func `options stand before, between and after the commands`() throws {
    let invocation = try #require(try invocation("--home", "/x", "alert", "--json", "activate", "--yes"))
    #expect(invocation.path.map(\.name) == ["lifesignal", "alert", "activate"])
    #expect(invocation.value("home") == "/x")
    #expect(invocation.isJSON)
    #expect(invocation.has("yes"))
  }

  @Test func `a value may follow an equals sign, and may be empty or hold another`() throws {
    #expect(try invocation("alert", "activate", "--message=a=b")?.value("message") == "a=b")
    #expect(try invocation("alert", "activate", "--message=")?.value("message") == "")
    #expect(try invocation("alert", "activate", "--message=--yes")?.has("yes") == false)
  }

  @Test func `a location south of the equator is a value, not an option`() throws {
    #expect(try invocation("alert", "activate", "--location", "-33.8,151.2")?.value("location") == "-33.8,151.2")
  }

  @Test func `two dashes end the options`() throws {
    #expect(try invocation("config", "set", "--", "region", "--json")?.arguments == ["region", "--json"])
  }

  @Test func `a repeatable option keeps its order`() throws {
    let invocation = try invocation(
      "contacts", "add", "+1", "--name", "Ana", "--channel", "https://a", "--channel=https://b")
    #expect(invocation?.values("channel") == ["https://a", "https://b"])
  }

  @Test func `an option is not taken for a missing value`() {
    let error = #expect(throws: UsageError.self) { try parse("contacts", "add", "+1", "--name", "--responder") }
    #expect(error?.message == "option --name needs a value: --name NAME")
  }

  @Test(arguments: [
    (["alert", "activte"], "unknown command: activte. Did you mean activate?"),
    (["allert"], "unknown command: allert. Did you mean alert?"),
    (["zzzzzzzz"], "unknown command: zzzzzzzz"),
    (["alert", "activate", "--mesage", "x"], "unknown option: --mesage. Did you mean --message?"),
    (["alert", "activate", "-z"], "unknown option: -z"),
    (["alert", "activate", "-yz"], "unknown option: -yz"),
    (["config", "list", "-y"], "unknown option: -y"),
    (["alert"], "missing command after “alert”"),
    ([], "missing command"),
    (["contacts", "add", "--name", "Ana"], "missing argument: PHONE"),
    (["contacts", "add", "+1"], "missing option: --name NAME"),
    (["config", "set", "endpoint"], "missing argument: VALUE"),
    (["status", "now"], "unexpected argument: now"),
    (["alert", "activate", "--yes=1"], "option --yes takes no value"),
    (["contacts", "add", "+1", "--name", "a", "--name", "b"], "option --name is given twice"),
    (["contacts", "add", "+1", "--name"], "option --name needs a value: --name NAME"),
    (["--"], "missing command"),
  ]) func `an invalid command line is refused, with a hint`(words: [String], message: String) {
    let error = #expect(throws: UsageError.self) {
      try ArgumentParser.parse(words, root: CommandTable.root, globalOptions: GlobalOption.all)
    }
    #expect(error?.message == message)
  }

  @Test func `help has priority over errors and actions`() throws {
    for words in [["alert", "activate", "--yes", "--help"], ["alert", "activate", "--nonsense", "-h"]] {
      guard
        case .help(let path) = try ArgumentParser.parse(
          words, root: CommandTable.root, globalOptions: GlobalOption.all)
      else {
        Issue.record("no help")
        continue
      }
      #expect(path.last?.name == "activate")
    }
    guard case .help = try parse("nonsense", "--help") else {
      Issue.record("no help for an unknown command")
      return
    }
  }

  @Test func `a letter stands for a long option, alone, with others, and with its value attached`() throws {
    let apart = try invocation("sos", "-y", "-m", "on the ridge", "-l", "-33.8,151.2", "-q", "-v")
    let joined = try invocation("sos", "-yqv", "-mon the ridge", "-l-33.8,151.2")
    for invocation in [apart, joined] {
      for name in ["yes", "quiet", "verbose"] { #expect(invocation?.has(name) == true, "\(name)") }
      #expect(invocation?.value("message") == "on the ridge")
      #expect(invocation?.value("location") == "-33.8,151.2")
    }
  }

  @Test func `a letter after a missing message is an option: the alert is raised`() throws {
    let invocation = try invocation("sos", "-m", "-y")
    #expect(invocation?.value("message") == "")
    #expect(invocation?.has("yes") == true)
  }

  @Test func `a command that also runs alone accepts only its own options`() throws {
    let root = CommandSpecification(
      name: "simulate", summary: "run", options: [.value("seed", "N", "a seed"), .flag("trace", "print")],
      subcommands: [CommandSpecification(name: "disks", summary: "cut", options: [.value("seed", "N", "a seed")])],
      runsAlone: true)
    func name(_ words: String...) throws -> String? {
      guard case .run(let invocation) = try ArgumentParser.parse(words, root: root, globalOptions: []) else {
        return nil
      }
      return invocation.commandName
    }
    #expect(try name("--trace") == "")
    #expect(try name("--seed", "2", "disks") == "disks")
    let error = #expect(throws: UsageError.self) { _ = try name("--trace", "disks") }
    #expect(error?.message == "option --trace does not belong to “disks”")
    #expect(throws: UsageError.self) { _ = try name("dsks") }
  }

  @Test func `a message that is a call for help is a message`() throws {
    // Only the option asks for the help text.
    #expect(try invocation("alert", "activate", "--message=--help", "--yes")?.value("message") == "--help")
  }
}

@Suite struct `The table of commands` {
  private var nodes: [CompletionNode] {
    CompletionNode.all(root: CommandTable.root, globalOptions: GlobalOption.all)
  }

  private func path(to node: CompletionNode) -> [CommandSpecification] {
    var path = [CommandTable.root]
    for name in node.path.split(separator: " ") {
      if let next = path[path.count - 1].subcommand(named: String(name)) { path.append(next) }
    }
    return path
  }

  @Test func `every command either runs or has commands`() {
    for node in nodes {
      #expect((CommandActions.action(for: node.path) == nil) == !node.command.subcommands.isEmpty, "\(node.path)")
    }
  }

  @Test func `the help of every command names every option and argument, within 80 columns`() {
    for node in nodes {
      let help = HelpText.help(path(to: node), globalOptions: GlobalOption.all)
      for option in node.options { #expect(help.contains("--\(option.name)"), "\(node.path)") }
      for argument in node.command.arguments { #expect(help.contains(argument.name), "\(node.path)") }
      for line in help.split(separator: "\n") { #expect(line.count <= 80, "\(line)") }
      if !node.path.isEmpty { #expect(help.contains("lifesignal \(node.path)")) }
    }
  }

  @Test func `no command has two options of one name or letter`() {
    for node in nodes {
      #expect(Set(node.options.map(\.name)).count == node.options.count, "\(node.path)")
      let letters = node.options.compactMap(\.letter)
      #expect(Set(letters).count == letters.count, "\(node.path)")
    }
  }

  @Test func `every command that runs has examples, and each parses to that command`() throws {
    for node in nodes where node.command.subcommands.isEmpty {
      #expect(!node.command.examples.isEmpty, "\(node.path)")
      for example in node.command.examples {
        let words = Self.words(example)
        #expect(words.first == "lifesignal", "\(example)")
        guard
          case .run(let invocation) = try ArgumentParser.parse(
            Array(words.dropFirst()), root: CommandTable.root, globalOptions: GlobalOption.all)
        else {
          Issue.record("\(example) runs nothing")
          continue
        }
        #expect(invocation.commandName == node.path, "\(example)")
      }
    }
  }

  /// A command line as a shell splits it, up to a pipe or a redirection.
  private static func words(_ line: String) -> [String] {
    var words: [String] = [], word = "", isQuoted = false
    for character in line.replacingOccurrences(of: "\\\n", with: " ") + " " {
      if character == "\"" {
        isQuoted.toggle()
      } else if character == " ", !isQuoted {
        if word == "|" || word == ">" { return words }
        if !word.isEmpty { words.append(word) }
        word = ""
      } else {
        word.append(character)
      }
    }
    return words
  }

  @Test func `all documented commands exist`() {
    let paths = Set(nodes.map(\.path))
    for path in [
      "config set", "config get", "config list", "sign-in", "sign-out", "alert activate", "alert deactivate",
      "alert status", "alert history", "contacts add", "contacts list", "contacts remove", "contacts test",
      "profile show", "profile set", "queue list", "queue retry",
      "queue discard", "queue export", "sync", "status", "doctor", "screen", "completions",
    ] { #expect(paths.contains(path), "\(path)") }
  }
}

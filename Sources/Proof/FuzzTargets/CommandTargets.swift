import Arguments
import Model

@testable import CommandLineTool
@testable import ServerTool
@testable import TerminalScreen

extension FuzzTarget {
  /// A command line with zero bytes after its words.
  static let arguments = FuzzTarget("arguments") {
    [
      "alert activate --message Help! --location=52.52,-13.4 --yes --json",
      "contacts add +12025550123 --name Ana --channel x",
      "alert --help", "config set -- endpoint -5", "que lst",
      "--listen=127.0.0.1:0 --public-url https://a/ --sms console",
    ].map { Array($0.utf8.map { $0 == UInt8(ascii: " ") ? 0 : $0 }) }
  } run: { bytes in
    let words = bytes.split(separator: 0, omittingEmptySubsequences: false).prefix(64).map { Array($0).text }
    do throws(UsageError) {
      switch try ArgumentParser.parse(words, root: CommandTable.root, globalOptions: GlobalOption.all) {
      case .run(let invocation):
        require(CommandActions.action(for: invocation.commandName) != nil, "what runs is a command")
        let wanted = invocation.path.last?.arguments.count(where: \.isRequired) ?? 0
        require((0..<wanted).allSatisfy { invocation.argument($0) != nil }, "what is required is there")
        for option in invocation.path.last?.options ?? [] where option.isRequired {
          require(invocation.value(option.name) != nil, "an option that is required is there")
        }
      case .help(let path):
        let help = HelpText.help(path, globalOptions: GlobalOption.all)
        require(
          words.contains { $0 == "--help" || $0.hasPrefix("-") && $0.contains("h") } || help.isEmpty,
          "help is given where it was asked for")
      case .version, .manual: require(words.contains("--version"), "the version is told where it was asked for")
      }
    } catch {
      require(!error.message.isEmpty && !HelpText.usage(error.path).isEmpty, "an error says what is wrong")
    }
    if case .run(let invocation)? = try? ServerProgram.commandLine(words) {
      _ = try? ServerOptions(Settings(invocation))
    }
  }

  /// The file of `lifesignal-server --config`: what is read of it, written as it is told, reads the same.
  static let serverSettings = FuzzTarget("server-settings") {
    ["# ours\nlisten = 0.0.0.0:443\n\nsms=\"https://sms.example/\"\r\nallow-private-channels = yes\n"].map {
      Array($0.utf8)
    }
  } run: { bytes in
    let text = String(decoding: bytes, as: UTF8.self)
    var faults = SettingFaults()
    let file = ConfigurationFile(text, from: "fuzz", &faults)
    let names = ConfigurationFile.settings.map(\.name)
    let told = names.compactMap { name in file.value(name).map { "\(name) = \"\($0)\"" } }.joined(separator: "\n")
    var later = SettingFaults()
    let again = ConfigurationFile(told, from: "fuzz", &later)
    require(later.all.isEmpty, "what was read can be read")
    require(names.allSatisfy { file.value($0) == again.value($0) }, "a setting reads back")
  }

  /// Bytes from a keyboard, for the prompt of `alert activate` and for the terminal screen.
  static let keys = FuzzTarget("keys") {
    [
      Array("    ".utf8), [0x1B, 0x5B, 0x41, 0x1B, 0x4F, 0x50, 0x03], Array("\u{1B}[200~123 456\u{1B}[201~".utf8),
      Array("é李🚨q".utf8),
    ]
  } run: { bytes in
    let presses = KeyPress.decode(bytes)
    require(presses.count <= bytes.count, "no byte is two presses")
    var decoder = CharacterDecoder()
    let scalars = bytes.compactMap { decoder.character($0) }
    if let text = String(validating: bytes, as: UTF8.self) {
      require(scalars == Array(text.unicodeScalars), "text comes out as it was typed")
    }
    play(FuzzInput(bytes))
  }
}

/// Keys with times between them: how often the alert's key counts, and what each key means on each panel.
private func play(_ input: FuzzInput) {
  var input = input
  var counter = PressCounter(), filter = KeyRepeatFilter(), hold = HoldDetector(), paste = PasteCollector()
  var now: Int64 = 0
  var counted = 0
  while !input.isAtEnd {
    now += Int64(input.byte()) * 16
    let key = key(&input)
    var focus = ScreenFocus()
    focus.panel = input.one(of: [.overview, .history, .phone, .code, .update, .inbox, .receivedAlert, .answerLine])
    let flags = input.byte()
    (focus.hasDialog, focus.takesAnswers, focus.isAlertActive) = (flags & 1 != 0, flags & 2 != 0, flags & 4 != 0)
    for told in paste.keys(key, at: now) {
      let intent = KeyMap.intent(for: told, in: focus)
      if case .pasted = told { require(intent != .alertKey && intent != .tap, "what is pasted raises no alert") }
    }
    if flags & 8 != 0 { filter.waitForPause() }
    if filter.isPress(at: now) {
      counter.press(at: now)
      counted += 1
    }
    _ = hold.keyTold(at: now, mayBegin: flags & 16 != 0)
    _ = hold.expire(at: now + 1)
    counter.expire(at: now)
    require(!counter.isComplete || counted >= PressCounter.pressesNeeded, "four presses raise an alert, and no fewer")
    require((0...100).contains(counter.percent), "a share is a share")
  }
}

private func key(_ input: inout FuzzInput) -> Key {
  let keys: [Key] = [
    .space, .enter, .escape, .tab, .backTab, .backspace, .delete, .clear, .pasteBegan, .pasteEnded, .up, .down, .left,
    .right,
    .pageUp, .pageDown, .home, .end, .character("q"), .character("h"), .character("7"), .character("é"),
  ]
  return input.one(of: keys)
}

import CNcurses
import Glibc
import TerminalScreen

/// Reads keys from ncurses.
@MainActor enum KeyReader {
  private static var decoder = CharacterDecoder()

  /// Reads all waiting keys. The result is empty if there are none, or only unknown ones.
  static func waitingKeys() -> [Key] {
    var keys: [Key] = []
    while true {
      let code = lifesignal_screen_key()
      guard code >= 0 else { return keys }
      let key = UInt8(exactly: code).map { decoder.character($0).flatMap(character) } ?? function(code)
      if let key { keys.append(key) }
    }
  }

  /// Whether the input has ended: the terminal was closed.
  static var isInputGone: Bool {
    var waiting = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
    guard poll(&waiting, 1, 0) == 1 else { return false }
    if waiting.revents & Int16(POLLHUP | POLLERR | POLLNVAL) != 0 { return true }
    // Input that is readable and has no bytes is at its end.
    var count: Int32 = 0
    return ioctl(STDIN_FILENO, UInt(FIONREAD), &count) != 0 || count == 0
  }

  private static func character(_ scalar: Unicode.Scalar) -> Key? {
    switch scalar.value {
    case 0x0A, 0x0D: .enter
    case 0x09: .tab
    case 0x15: .clear
    case 0x1B: .escape
    case 0x08, 0x7F: .backspace
    case ..<0x20: nil
    default: .character(Character(scalar))
    }
  }

  private static func function(_ code: Int32) -> Key? {
    switch code {
    case KEY_UP: .up
    case KEY_DOWN: .down
    case KEY_LEFT: .left
    case KEY_RIGHT: .right
    case KEY_PPAGE: .pageUp
    case KEY_NPAGE: .pageDown
    case KEY_HOME: .home
    case KEY_END: .end
    case KEY_BTAB: .backTab
    case KEY_BACKSPACE: .backspace
    case KEY_DC: .delete
    case KEY_ENTER: .enter
    case Int32(LIFESIGNAL_PASTE_BEGAN): .pasteBegan
    case Int32(LIFESIGNAL_PASTE_ENDED): .pasteEnded
    default: nil
    }
  }
}

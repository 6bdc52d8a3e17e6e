import CNcurses
import Glibc
import TerminalScreen

/// Keys as ncurses tells them.
enum KeyReader {
  /// All the keys that wait. Empty where there are none, or only ones that mean nothing here.
  @MainActor static func waitingKeys() -> [Key] {
    var keys: [Key] = []
    var code: UInt32 = 0
    while true {
      switch lifesignal_screen_key(&code) {
      case 1: keys += character(code).map { [$0] } ?? []
      case 2: keys += function(Int32(bitPattern: code)).map { [$0] } ?? []
      default: return keys
      }
    }
  }

  /// Whether nobody is at the keyboard any more.
  static var isInputGone: Bool {
    var waiting = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
    guard poll(&waiting, 1, 0) == 1 else { return false }
    if waiting.revents & Int16(POLLHUP | POLLERR | POLLNVAL) != 0 { return true }
    // Readable, and nothing there to read: the end.
    var count: Int32 = 0
    return ioctl(STDIN_FILENO, UInt(FIONREAD), &count) != 0 || count == 0
  }

  private static func character(_ code: UInt32) -> Key? {
    switch code {
    case 0x0A, 0x0D: .enter
    case 0x09: .tab
    case 0x1B: .escape
    case 0x08, 0x7F: .backspace
    case ..<0x20: nil
    default: Unicode.Scalar(code).map { .character(Character($0)) }
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
    default: nil
    }
  }
}

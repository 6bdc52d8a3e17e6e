import CNcurses
import Glibc
import SystemKit

// What the handler of a crash needs. Written once, before the handlers are there, and from then on only read: a handler
// may take no lock and no memory.
nonisolated(unsafe) private var restoreBytes: UnsafeMutablePointer<UInt8>?
nonisolated(unsafe) private var restoreCount = 0
nonisolated(unsafe) private var savedSettings = termios()
nonisolated(unsafe) private var previousActions: UnsafeMutablePointer<sigaction>?
nonisolated(unsafe) private var hasRestored: Int32 = 0

/// Gives the terminal back also where the program crashes.
enum CrashRestorer {
  static let signals = [SIGSEGV, SIGBUS, SIGILL, SIGABRT, SIGFPE, SIGTRAP]
  private static let highestSignal = 64

  /// Remembers the terminal's settings. Before the screen is opened.
  static func saveSettings() { _ = tcgetattr(STDIN_FILENO, &savedSettings) }

  /// Gives the settings back that were saved, without waiting for a terminal that takes nothing.
  nonisolated static func restoreSettings() { _ = tcsetattr(STDIN_FILENO, TCSANOW, &savedSettings) }

  /// Takes the crashes in. After the screen is opened, since the terminal's description is known only then.
  static func install() {
    // Plain letters, the keypad's own mode, a cursor, and the screen that was there before.
    let bytes = ["sgr0", "rmkx", "cnorm", "rmcup"].flatMap(capability) + Array(Display.pasteOff.utf8)
    let kept = UnsafeMutablePointer<UInt8>.allocate(capacity: max(1, bytes.count))
    kept.initialize(from: bytes, count: bytes.count)
    (restoreBytes, restoreCount) = (kept, bytes.count)
    let actions = UnsafeMutablePointer<sigaction>.allocate(capacity: highestSignal + 1)
    actions.initialize(repeating: sigaction(), count: highestSignal + 1)
    previousActions = actions
    useStackOfItsOwn()
    for signal in signals {
      var action = sigaction()
      action.sa_flags = Int32(SA_ONSTACK)
      action.__sigaction_handler.sa_handler = { number in handleCrash(number) }
      _ = sigaction(signal, &action, actions + Int(signal))
    }
    // A parent may have left them blocked.
    SignalMask.unblock(signals)
  }

  private static func capability(_ name: String) -> [UInt8] {
    var text = [CChar](repeating: 0, count: 256)
    let count = lifesignal_capability(name, &text, text.count)
    return text[..<count].map { UInt8(bitPattern: $0) }
  }

  /// A stack that has run over has no room for a handler.
  private static func useStackOfItsOwn() {
    let size = 64 * 1024
    var stack = stack_t()
    stack.ss_sp = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
    stack.ss_size = size
    _ = sigaltstack(&stack, nil)
  }
}

/// Only calls that signal-safety(7) allows.
private func handleCrash(_ number: Int32) {
  if hasRestored == 0 {
    hasRestored = 1
    // A terminal that takes nothing must not keep a crashed program.
    let flags = fcntl(STDOUT_FILENO, F_GETFL)
    _ = fcntl(STDOUT_FILENO, F_SETFL, flags | O_NONBLOCK)
    _ = write(STDOUT_FILENO, restoreBytes, restoreCount)
    _ = fcntl(STDOUT_FILENO, F_SETFL, flags)
    _ = tcsetattr(STDIN_FILENO, TCSANOW, &savedSettings)
    CapturedErrors.copyAfterCrash()
  }
  // What was done about it before is done now: the runtime's own report, or the end.
  _ = sigaction(number, previousActions.map { $0 + Int(number) }, nil)
  // Pending until this handler returns.
  _ = raise(number)
}

import CNcurses
import Glibc
import SystemKit

// The state of the crash handler. It is written once, before the handlers are installed, and only read afterwards,
// because a signal handler must not lock or allocate.
nonisolated(unsafe) private var restoreBytes: UnsafeMutablePointer<UInt8>?
nonisolated(unsafe) private var restoreCount = 0
nonisolated(unsafe) private var savedSettings = termios()
nonisolated(unsafe) private var previousActions: UnsafeMutablePointer<sigaction>?
nonisolated(unsafe) private var hasRestored: Int32 = 0

/// Restores the terminal if the program crashes.
enum CrashRestorer {
  static let signals = [SIGSEGV, SIGBUS, SIGILL, SIGABRT, SIGFPE, SIGTRAP]
  private static let highestSignal = 64

  /// Saves the terminal's settings. It must be called before the screen is opened.
  static func saveSettings() { _ = tcgetattr(STDIN_FILENO, &savedSettings) }

  /// Restores the saved settings, without waiting for a terminal that accepts no output.
  nonisolated static func restoreSettings() { _ = tcsetattr(STDIN_FILENO, TCSANOW, &savedSettings) }

  /// Installs the handlers. It must be called after the screen is opened, because ncurses reads the terminal's
  /// description only then.
  static func install() {
    // Turns attributes off, the keypad to its own mode and the cursor on, and returns to the previous screen.
    let bytes = ["sgr0", "rmkx", "cnorm", "rmcup"].flatMap(capability) + Array(Display.pasteOff.utf8)
    let kept = UnsafeMutablePointer<UInt8>.allocate(capacity: max(1, bytes.count))
    kept.initialize(from: bytes, count: bytes.count)
    (restoreBytes, restoreCount) = (kept, bytes.count)
    let actions = UnsafeMutablePointer<sigaction>.allocate(capacity: highestSignal + 1)
    actions.initialize(repeating: sigaction(), count: highestSignal + 1)
    previousActions = actions
    useSeparateStack()
    for signal in signals {
      var action = sigaction()
      action.sa_flags = Int32(SA_ONSTACK)
      action.__sigaction_handler.sa_handler = { number in handleCrash(number) }
      _ = sigaction(signal, &action, actions + Int(signal))
    }
    // The parent process may have blocked them.
    SignalMask.unblock(signals)
  }

  private static func capability(_ name: String) -> [UInt8] {
    var text = [CChar](repeating: 0, count: 256)
    let count = lifesignal_capability(name, &text, text.count)
    return text[..<count].map { UInt8(bitPattern: $0) }
  }

  /// Gives the handlers their own stack, since after a stack overflow the normal one has no room.
  private static func useSeparateStack() {
    let size = 64 * 1024
    var stack = stack_t()
    stack.ss_sp = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
    stack.ss_size = size
    _ = sigaltstack(&stack, nil)
  }
}

/// Restores the terminal, and lets the crash take its course. It makes only calls that signal-safety(7) allows.
private func handleCrash(_ number: Int32) {
  if hasRestored == 0 {
    hasRestored = 1
    // A terminal that accepts no output must not block a crashed program.
    let flags = fcntl(STDOUT_FILENO, F_GETFL)
    _ = fcntl(STDOUT_FILENO, F_SETFL, flags | O_NONBLOCK)
    _ = write(STDOUT_FILENO, restoreBytes, restoreCount)
    _ = fcntl(STDOUT_FILENO, F_SETFL, flags)
    _ = tcsetattr(STDIN_FILENO, TCSANOW, &savedSettings)
    CapturedErrors.copyAfterCrash()
  }
  // Restores the previous action: the Swift runtime's crash report, or the default.
  _ = sigaction(number, previousActions.map { $0 + Int(number) }, nil)
  // The signal stays pending until this handler returns.
  _ = raise(number)
}

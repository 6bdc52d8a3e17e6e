import Glibc
import SystemKit

/// Signals during work that may be broken off at any point, because what matters is on the disk.
enum Interruption {
  /// From now on Ctrl-C ends the process at once with status 1, as the help says, after a line that says what was not done.
  static func stopAtKeyboard() {
    _ = signal(SIGINT) { _ in
      // Only calls that signal-safety(7) allows.
      let text: StaticString = "\nStopped. You are NOT signed in.\n"
      _ = write(Descriptor.error, text.utf8Start, text.utf8CodeUnitCount)
      _exit(ExitStatus.stopped.rawValue)
    }
  }

  /// From now on Ctrl-C, SIGTERM and a closed terminal end the process at once with status 0, after a line that says that
  /// the alert stays saved.
  static func leaveQuietly() {
    let numbers = [SIGINT, SIGTERM, SIGHUP]
    for number in numbers {
      _ = signal(number) { _ in
        // Only calls that signal-safety(7) allows.
        let text: StaticString = "\nStopped. What is saved on this device stays saved, and is not lost.\n"
        _ = write(Descriptor.error, text.utf8Start, text.utf8CodeUnitCount)
        _exit(0)
      }
    }
    SignalMask.unblock(numbers)
  }
}

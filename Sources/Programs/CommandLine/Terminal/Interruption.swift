import Glibc
import SystemKit

/// Signals during work that may be interrupted at any point, because what matters is on the disk.
enum Interruption {
  /// Makes Ctrl-C end the process at once with status 1, after a line that says that nobody is signed in.
  static func stopAtKeyboard() {
    _ = signal(SIGINT) { _ in
      // Only calls that signal-safety(7) allows.
      let text = AlertTexts.stoppedSignIn
      _ = write(Descriptor.error, text.utf8Start, text.utf8CodeUnitCount)
      _exit(ExitStatus.stopped.rawValue)
    }
  }

  /// Makes Ctrl-C, SIGTERM and a closed terminal end the process at once with status 0, after a line that says that the alert stays
  /// saved, and whether another process goes on sending it.
  static func leaveQuietly(isCarriedOn: Bool) {
    let numbers = [SIGINT, SIGTERM, SIGHUP]
    // Each handler makes only calls that signal-safety(7) allows.
    for number in numbers where isCarriedOn {
      _ = signal(number) { _ in
        let text = AlertTexts.stoppedCarriedOn
        _ = write(Descriptor.error, text.utf8Start, text.utf8CodeUnitCount)
        _exit(0)
      }
    }
    for number in numbers where !isCarriedOn {
      _ = signal(number) { _ in
        let text = AlertTexts.stoppedSaved
        _ = write(Descriptor.error, text.utf8Start, text.utf8CodeUnitCount)
        _exit(0)
      }
    }
    SignalMask.unblock(numbers)
  }
}

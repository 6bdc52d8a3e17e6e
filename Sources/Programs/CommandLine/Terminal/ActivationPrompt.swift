import Glibc
import Model
import SystemKit

/// Asks for four key presses, so that no alert is raised by accident.
struct ActivationPrompt {
  enum Answer: Equatable { case raise, leave }

  let console: Console
  let isDrill: Bool
  /// Monotonic milliseconds.
  let clock: () -> Int64

  /// Draws the bar and waits. A signal restores the terminal and then ends the process as it would have.
  func ask() -> Answer {
    guard let terminal = RawTerminal() else { return .leave }
    var counter = PressCounter()
    console.prompt(console.styled(.strong, AlertTexts.pressToRaise(isDrill: isDrill)) + "\n")
    console.prompt(console.styled(.faint, AlertTexts.leaveHint) + "\n")
    draw(counter)
    while !counter.isComplete {
      switch terminal.next(withinMilliseconds: counter.resetAt.map { $0 - clock() }) {
      case .keys(let bytes):
        for key in KeyPress.decode(bytes) where !counter.isComplete {
          if key == .leave { return finish(terminal, .leave) }
          counter.press(at: clock())
          draw(counter)
        }
      case .timeout: if counter.expire(at: clock()) { draw(counter) }
      case .signal(let number):
        _ = finish(terminal, .leave)
        console.note(AlertTexts.signalUnraised)
        takeDefaultAction(of: number)
        exit(128 + number)
      case .closed: return finish(terminal, .leave)
      }
    }
    return finish(terminal, .raise)
  }

  private func finish(_ terminal: RawTerminal, _ answer: Answer) -> Answer {
    terminal.restore()
    console.prompt("\n")
    return answer
  }

  private func draw(_ counter: PressCounter) {
    let bar = ProgressBar.text(percent: counter.percent)
    console.prompt("\r\u{1B}[2K\(bar)")
  }
}

/// A bar of forty cells, followed by the percentage.
enum ProgressBar {
  static let cells = 40

  static func text(percent: Int) -> String {
    let filled = cells * percent / 100
    return "[" + String(repeating: "#", count: filled) + String(repeating: ".", count: cells - filled)
      + "] \(percent) %"
  }
}

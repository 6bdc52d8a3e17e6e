import CNcurses
import Glibc
import TerminalScreen

/// The terminal, through ncurses. There is one, and it is for the main thread.
@MainActor final class Display {
  /// Has what is pasted marked as such, and no longer.
  private static let pasteOn = "\u{1B}[?2004h"
  nonisolated static let pasteOff = "\u{1B}[?2004l"

  private let hasColor: Bool
  private(set) var isASCII = false
  private var writer: FrameWriter?
  private var isOpen = false
  private var mustRedraw = false
  /// The terminal was somebody else's when there was something to show.
  private var wasAway = false
  /// Something was not shown, since the terminal had not taken what came before.
  private var hasDropped = false
  /// Has the present state shown.
  var redraw: @MainActor () -> Void = {}

  init(hasColor: Bool) { self.hasColor = hasColor }

  /// Takes the terminal over. False where its kind is not known, or it cannot do what a screen needs.
  func open() -> Bool {
    _ = setlocale(LC_ALL, "")
    isASCII = String(cString: nl_langinfo(nl_item(CODESET))) != "UTF-8"
    let file = lifesignal_screen_open(hasColor ? 1 : 0)
    guard file >= 0 else { return false }
    writer = FrameWriter(file: file)
    isOpen = true
    mustRedraw = true
    return true
  }

  /// Gives the terminal back as it was, but for its settings, and writes `words` to it; within a moment, where the terminal
  /// takes nothing.
  func close(saying words: String = "") {
    guard isOpen, let writer else { return }
    isOpen = false
    lifesignal_screen_close()
    writer.finish(Self.pasteOff + words, withinMilliseconds: 400)
  }

  /// Takes the terminal again, after `close()` or after somebody else changed it.
  func resume() {
    isOpen = true
    wasAway = false
    mustRedraw = true
    lifesignal_screen_take_settings()
    lifesignal_screen_resize()
  }

  func takeSize() { lifesignal_screen_resize() }

  var size: ScreenSize {
    ScreenSize(columns: Int(lifesignal_screen_columns()), rows: Int(lifesignal_screen_rows()))
  }

  /// Whether the terminal is this program's now, and not that of a shell which has put it into the background. One that
  /// has no jobs has nothing to say about that.
  var isOurs: Bool {
    let group = tcgetpgrp(STDIN_FILENO)
    return group == -1 || group == getpgrp()
  }

  /// Shows `canvas`. Only what differs from what is shown goes to the terminal; nothing while it has not taken what came
  /// before, and then `redraw` is called when it has.
  func show(_ canvas: Canvas) {
    guard isOpen, let writer else { return }
    guard isOurs else {
      wasAway = true
      return
    }
    hasDropped = writer.isWriting
    guard !hasDropped else { return }
    if wasAway { resume() }
    lifesignal_screen_erase()
    for row in 0..<canvas.size.rows {
      for column in 0..<canvas.size.columns where canvas[row, column].width > 0 {
        put(canvas[row, column], row: row, column: column)
      }
    }
    lifesignal_screen_refresh(mustRedraw ? 1 : 0)
    writer.write(behind: mustRedraw ? Self.pasteOn : "") { [self] in if hasDropped { redraw() } }
    mustRedraw = false
  }

  private func put(_ cell: Canvas.Cell, row: Int, column: Int) {
    let look = look(cell.style)
    if cell.text == " ", look == 0 { return }
    let text = cell.text.unicodeScalars.map { wchar_t($0.value) } + [0]
    lifesignal_screen_put(Int32(row), Int32(column), text, look, color(cell.style))
  }

  private func look(_ style: CellStyle) -> Int32 {
    (style.isBold ? Int32(LIFESIGNAL_BOLD) : 0) | (style.isReversed ? Int32(LIFESIGNAL_REVERSED) : 0)
      | (style.tone == .faint ? Int32(LIFESIGNAL_FAINT) : 0)
  }

  private func color(_ style: CellStyle) -> Int32 {
    guard hasColor else { return 0 }
    return switch style.tone {
    case .plain, .faint: 0
    case .good: Int32(LIFESIGNAL_GREEN)
    case .warning: Int32(LIFESIGNAL_YELLOW)
    case .bad: Int32(LIFESIGNAL_RED)
    }
  }
}

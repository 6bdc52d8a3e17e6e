import CNcurses
import Glibc
import TerminalScreen

/// The terminal, through ncurses. A process has one, and only its main thread may use it.
@MainActor final class Display {
  /// Turns bracketed paste on and off: the terminal then marks pasted text.
  private static let pasteOn = "\u{1B}[?2004h"
  nonisolated static let pasteOff = "\u{1B}[?2004l"

  private let hasColor: Bool
  private var isASCII = false
  private var writer: FrameWriter?
  private var isOpen = false
  private var mustRedraw = false
  private var mustRing = false
  /// Whether a frame was not shown because another program had the terminal.
  private var wasAway = false
  /// Whether a frame was dropped because the terminal had not accepted the previous one.
  private var hasDropped = false
  /// What the terminal shows. It need not be drawn again: the clock ticks each second, and changes what is shown once in a while.
  private var shown: ScreenModel?
  /// Called when the terminal accepts output again after a dropped frame; it must show the current state.
  var redraw: @MainActor () -> Void = {}

  init(hasColor: Bool) { self.hasColor = hasColor }

  /// Takes over the terminal. Returns false if its type is unknown or lacks what a screen needs.
  func open() -> Bool {
    // The terminal's encoding; the texts are of no other language, and each further category costs a file to read.
    _ = setlocale(LC_CTYPE, "")
    isASCII = String(cString: nl_langinfo(nl_item(CODESET))) != "UTF-8"
    let file = lifesignal_screen_open(hasColor ? 1 : 0)
    guard file >= 0 else { return false }
    writer = FrameWriter(file: file)
    isOpen = true
    mustRedraw = true
    return true
  }

  /// Restores the terminal except for its settings, and writes `words` to it. It gives up after 400 ms if the terminal
  /// accepts no output.
  func close(saying words: String = "") {
    guard isOpen, let writer else { return }
    isOpen = false
    lifesignal_screen_close()
    writer.finish(Self.pasteOff + words, withinMilliseconds: 400)
  }

  /// Takes over the terminal again, after `close()` or after another program used it.
  func resume() {
    isOpen = true
    wasAway = false
    mustRedraw = true
    lifesignal_screen_take_settings()
    lifesignal_screen_resize()
  }

  func takeSize() {
    lifesignal_screen_resize()
    shown = nil
  }

  var size: ScreenSize {
    ScreenSize(columns: Int(lifesignal_screen_columns()), rows: Int(lifesignal_screen_rows()))
  }

  /// Whether this process is in the terminal's foreground. A terminal without job control counts as yes.
  var isOurs: Bool {
    let group = tcgetpgrp(STDIN_FILENO)
    return group == -1 || group == getpgrp()
  }

  /// Rings the terminal's bell with the next frame.
  func ring() { mustRing = true }

  /// Shows `model`: writes the differences from the previous frame to the terminal. While the terminal has not accepted the previous
  /// frame, it drops `model`, and calls `redraw` later.
  func show(_ model: ScreenModel) {
    guard isOpen, let writer else { return }
    guard isOurs else {
      wasAway = true
      return
    }
    hasDropped = writer.isWriting
    guard !hasDropped else { return }
    if wasAway { resume() }
    guard mustRedraw || mustRing || model != shown else { return }
    put(ScreenView.draw(model, size: size, isASCII: isASCII))
    shown = model
    lifesignal_screen_refresh(mustRedraw ? 1 : 0)
    let more = (mustRedraw ? Self.pasteOn : "") + (mustRing ? "\u{7}" : "")
    writer.write(behind: more) { [self] in if hasDropped { redraw() } }
    mustRedraw = false
    mustRing = false
  }

  private func put(_ canvas: Canvas) {
    lifesignal_screen_erase()
    for row in 0..<canvas.size.rows {
      for column in 0..<canvas.size.columns where canvas[row, column].width > 0 {
        put(canvas[row, column], row: row, column: column)
      }
    }
  }

  private func put(_ cell: Canvas.Cell, row: Int, column: Int) {
    let attributes = attributes(cell.style)
    if cell.text == " ", attributes == 0 { return }
    let text = cell.text.unicodeScalars.map { wchar_t($0.value) } + [0]
    lifesignal_screen_put(Int32(row), Int32(column), text, attributes, color(cell.style))
  }

  private func attributes(_ style: CellStyle) -> Int32 {
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

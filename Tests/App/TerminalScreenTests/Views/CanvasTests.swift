import Foundation
import Testing

@testable import TerminalScreen

@Suite struct `The canvas` {
  private func line(_ text: String, columns: Int, isASCII: Bool = false) -> String {
    var canvas = Canvas(ScreenSize(columns: columns, rows: 1), isASCII: isASCII)
    canvas.write(text, in: canvas.bounds)
    return canvas.lines[0]
  }

  @Test func `a wide character takes two cells and is never cut in half`() {
    #expect(line("李小龍", columns: 6) == "李小龍")
    #expect(line("李小龍", columns: 5) == "李小…")
    #expect(line("李小龍", columns: 4) == "李…")
    #expect(line("李", columns: 1) == "…")
  }

  @Test func `combining marks take no cell`() {
    #expect(TextLayout.width("e\u{301}a") == 2)
    #expect(TextLayout.width("\u{301}") == 1)
    #expect(Glyph.glyphs("a" + String(repeating: "\u{301}", count: 50)).map { $0.text.unicodeScalars.count } == [5])
  }

  @Test func `other people's text cannot move the cursor or reverse the line`() {
    #expect(line("a\u{1B}[2Jb\r\n\u{7}c\u{9B}1m", columns: 20) == "a [2Jb   c 1m")
    #expect(line("Ben\u{202E}gnidnopser", columns: 20) == "Bengnidnopser")
    #expect(line("\u{E000}", columns: 3) == "\u{FFFD}")
  }

  @Test func `a flag is shown as its letters`() { #expect(line("🇩🇪", columns: 4) == "DE") }

  @Test func `in ASCII letters lose their accents, and other characters become question marks`() {
    #expect(
      line("Zoë Ångström – „龍“ …", columns: 40, isASCII: true) == "Zoe Angstrom - ???\" ~".replacing("???", with: "??"))
    // With one mark and with two, made of one character and of several.
    #expect(line("Đoàn Tiến Ľudmila Țepeș e\u{301}", columns: 40, isASCII: true) == "Doan Tien Ludmila Tepes e")
  }

  @Test func `in ASCII each letter with marks is the letter that it decomposes into`() {
    for value in UInt32(0xA0)...0xFFFF {
      guard let scalar = Unicode.Scalar(value), scalar.properties.isAlphabetic,
        let first = String(scalar).decomposedStringWithCanonicalMapping.unicodeScalars.first, first.isASCII,
        // The sign of Kelvin decomposes into a letter without a mark.
        value != 0x212A
      else { continue }
      #expect(ASCIIFolding.folded(String(scalar)) == [Character(first)], "U+\(String(value, radix: 16))")
    }
  }

  @Test func `writing over half of a wide character leaves a blank, and no half`() {
    var canvas = Canvas(ScreenSize(columns: 4, rows: 1))
    canvas.write("龍龍", in: canvas.bounds)
    canvas.write("x", column: 1, in: canvas.bounds)
    #expect(canvas.lines[0] == " x龍")
    canvas.write("y", column: 2, in: canvas.bounds)
    #expect(canvas.lines[0] == " xy")
  }

  @Test func `writing outside the canvas does nothing`() {
    var canvas = Canvas(ScreenSize(columns: 3, rows: 1))
    canvas.write("abc", row: 1, in: canvas.bounds)
    canvas.write("abc", column: 3, in: canvas.bounds)
    canvas.write("abc", column: -1, in: canvas.bounds)
    canvas.write("abc", in: Rectangle(row: -1, column: 2, rows: 3, columns: 9))
    #expect(canvas.lines == [""])
  }

  @Test func `lines break between words, and inside words that are too long`() {
    #expect(TextLayout.wrapped("one two three", columns: 7) == ["one two", "three"])
    #expect(TextLayout.wrapped("abcdefgh ij", columns: 3) == ["abc", "def", "gh", "ij"])
    #expect(TextLayout.wrapped("a\nb", columns: 5) == ["a", "b"])
    #expect(TextLayout.wrapped("a", columns: 0) == [])
  }
}

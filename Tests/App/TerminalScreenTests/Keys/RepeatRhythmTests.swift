import TestSupport
import Testing

@testable import TerminalScreen

@Suite struct `Fingers and keyboards` {
  /// Whether a hold with these gaps lasts for three seconds.
  private func holds(_ gap: () -> Double) -> Bool {
    var detector = HoldDetector()
    var now: Int64 = 10_000
    _ = detector.keyTold(at: now, mayBegin: true)
    while now < 13_000 {
      let next = now + max(0, Int64(gap()))
      if let endsAt = detector.endsAt, next >= endsAt { return false }
      now = next
      if detector.keyTold(at: now, mayBegin: true) != nil { return false }
    }
    return detector.isHolding
  }

  @Test(arguments: [0.15, 0.2, 0.3]) func `frantic presses are not a hold`(unevenness: Double) {
    var random = SeededRandom(seed: 2026)
    let held = (0..<10_000).count { _ in
      let usual = Double.random(in: 120...400, using: &random)
      return holds { max(40, usual * (1 + unevenness * random.normal())) }
    }
    #expect(held < 10)
  }

  @Test func `frantic presses with two hands are not a hold`() {
    var random = SeededRandom(seed: 99)
    let held = (0..<2000).count { _ in
      holds { (Bool.random(using: &random) ? 55 : 130) + 15 * random.normal() }
    }
    #expect(held < 2)
  }

  @Test(arguments: [16, 33, 50, 60, 75, 92, 105, 125, 205, 240] as [Double])
  func `the repeats of a keyboard or a script are a hold`(gap: Double) {
    var random = SeededRandom(seed: UInt64(gap))
    let held = (0..<1000).count { _ in holds { gap + Double.random(in: -10...10, using: &random) } }
    #expect(held >= 995)
  }

  @Test func `the bursts of a quick keyboard are a hold`() {
    var index = 0
    #expect(
      holds {
        index += 1
        return index % 4 == 0 ? 130 : 1
      })
  }

  @Test func `one delayed repeat does not end the hold`() {
    var index = 0
    #expect(
      holds {
        index += 1
        return index == 12 ? 180 : 100
      })
  }
}

@Suite struct `Bytes of the keyboard` {
  private func characters(_ bytes: [UInt8]) -> String {
    var decoder = CharacterDecoder()
    var text = String.UnicodeScalarView()
    for byte in bytes { if let scalar = decoder.character(byte) { text.append(scalar) } }
    return String(text)
  }

  @Test func `are characters`() {
    #expect(characters(Array("aé龍🇩 ".utf8)) == "aé龍🇩 ")
  }

  @Test(arguments: [
    [0xFF], [0xC3], [0xE9, 0xBE], [0x80], [0xF4, 0x90, 0x80, 0x80], [0xC0, 0xAF], [0xED, 0xA0, 0x80],
  ])
  func `that are invalid do not swallow others`(bytes: [UInt8]) {
    #expect(characters(bytes + Array("    ".utf8)) == "    ")
  }
}

@Suite struct `What is pasted` {
  private func keys(_ told: [(Key, Int64)]) -> [Key] {
    var collector = PasteCollector()
    return told.flatMap { collector.keys($0, at: $1) }
  }

  @Test func `is delivered as one text`() {
    #expect(
      keys([(.pasteBegan, 0), (.character("1"), 1), (.space, 2), (.enter, 3), (.pasteEnded, 4), (.space, 5)])
        == [.pasted("1 "), .space])
  }

  @Test func `ends by itself, so that the alert's key works again`() {
    #expect(
      keys([(.pasteBegan, 0), (.character("1"), 1), (.space, 301), (.space, 302)]) == [.pasted("1"), .space, .space])
    let pressing = [(Key.pasteBegan, Int64(0))] + (1...40).map { (.space, Int64($0) * 200) }
    #expect(keys(pressing).suffix(4) == [.space, .space, .space, .space])
  }

  @Test func `is cut at the limit of a field`() {
    let long = [(Key.pasteBegan, Int64(0))] + (0..<9000).map { _ in (.character("1"), Int64(1)) } + [(.pasteEnded, 2)]
    #expect(keys(long) == [.pasted(String(repeating: "1", count: 200))])
  }
}

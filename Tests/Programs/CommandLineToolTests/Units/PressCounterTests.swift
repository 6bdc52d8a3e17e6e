import Testing

@testable import CommandLineTool

@Suite struct `Four presses` {
  @Test func `each press is a quarter, and the fourth completes`() {
    var counter = PressCounter()
    var percents: [Int] = []
    for time in [0, 100, 200, 300] as [Int64] {
      #expect(!counter.isComplete)
      counter.press(at: time)
      percents.append(counter.percent)
    }
    #expect(percents == [25, 50, 75, 100])
    #expect(counter.isComplete)
    #expect(counter.resetAt == nil)
  }

  @Test func `three seconds without a press start over`() {
    var counter = PressCounter()
    for time in [1000, 1200, 1400] as [Int64] { counter.press(at: time) }
    #expect(counter.resetAt == 4400)
    let expiredEarly = counter.expire(at: 4399)
    #expect(!expiredEarly)
    #expect(counter.presses == 3)
    let expired = counter.expire(at: 4400)
    #expect(expired)
    #expect(counter.presses == 0)
    #expect(counter.resetAt == nil)
  }

  @Test func `a late fourth press is a first one, even without a clock check in between`() {
    var counter = PressCounter()
    for time in [0, 1, 2] as [Int64] { counter.press(at: time) }
    counter.press(at: 3002)
    #expect(counter.presses == 1)
  }

  @Test func `each press restarts the timeout`() {
    var counter = PressCounter()
    for time in stride(from: Int64(0), through: 8700, by: 2900) { counter.press(at: time) }
    #expect(counter.isComplete)
  }
}

@Suite struct `What keys mean` {
  @Test(
    arguments: [
      ([0x20], [KeyPress.press]), ([0x0D], [.press]), ([0x20, 0x20, 0x0A, 0x61], [.press, .press, .press, .press]),
      ([0x71], [.leave]), ([0x1B], [.leave]), ([0x03], [.leave]), ([0x04], [.leave]),
      // Arrow up, F1, delete: any key is a press.
      ([0x1B, 0x5B, 0x41], [.press]), ([0x1B, 0x4F, 0x50], [.press]),
      ([0x1B, 0x5B, 0x33, 0x7E, 0x20], [.press, .press]),
      // A two-byte letter.
      ([0xC3, 0xA4], [.press]),
    ] as [([UInt8], [KeyPress])]) func `keys are read as they arrive`(bytes: [UInt8], keys: [KeyPress])
  {
    #expect(KeyPress.decode(bytes) == keys)
  }

  @Test func `the bar fills by quarters`() {
    #expect(ProgressBar.text(percent: 25) == "[##########..............................] 25 %")
    #expect(ProgressBar.text(percent: 100).filter { $0 == "#" }.count == ProgressBar.cells)
  }
}

import Testing

@testable import TerminalScreen

@Suite struct `Holding the key` {
  @Test func `a press after a pause starts it, repeats continue it, and their end ends it`() {
    var detector = HoldDetector()
    #expect(detector.keyTold(at: 5000, mayBegin: true) == .began)
    #expect(detector.endsAt == 6100)
    #expect(detector.expire(at: 6099) == nil)
    #expect(detector.keyTold(at: 5660, mayBegin: true) == nil)
    #expect(detector.endsAt == 6010)
    #expect(detector.keyTold(at: 5700, mayBegin: true) == nil)
    #expect(detector.expire(at: 6049) == nil)
    #expect(detector.expire(at: 6050) == .ended)
    #expect(!detector.isHolding)
    #expect(detector.expire(at: 9000) == nil)
  }

  @Test func `a single press ends without a repeat`() {
    var detector = HoldDetector()
    #expect(detector.keyTold(at: 0, mayBegin: true) == .began)
    #expect(detector.expire(at: 1100) == .ended)
  }

  @Test func `further presses after the alert was raised do not start a hold`() {
    var detector = HoldDetector()
    for time in stride(from: Int64(0), to: 1000, by: 250) {
      #expect(detector.keyTold(at: time, mayBegin: false) == nil)
    }
    for time in stride(from: Int64(1000), to: 20_000, by: 250) {
      #expect(detector.keyTold(at: time, mayBegin: true) == nil)
    }
    #expect(detector.keyTold(at: 20_700, mayBegin: true) == nil)
    #expect(detector.keyTold(at: 21_700, mayBegin: true) == .began)
  }

  @Test func `a late key ends the hold and starts none`() {
    var detector = HoldDetector()
    #expect(detector.keyTold(at: 0, mayBegin: true) == .began)
    #expect(detector.keyTold(at: 1200, mayBegin: true) == .ended)
    #expect(!detector.isHolding)
  }

  @Test func `it can be released at any time`() {
    var detector = HoldDetector()
    #expect(detector.letGo() == nil)
    #expect(detector.keyTold(at: 0, mayBegin: true) == .began)
    #expect(detector.letGo() == .ended)
    #expect(detector.letGo() == nil)
  }
}

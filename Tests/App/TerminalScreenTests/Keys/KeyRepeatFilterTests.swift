import TestSupport
import Testing

@testable import TerminalScreen

@Suite struct `Presses and repeats` {
  /// The number of events that count.
  private func presses(_ times: [Int64]) -> Int {
    var filter = KeyRepeatFilter()
    return times.count { filter.isPress(at: $0) }
  }

  /// A key held from `start`: the press, then repeats after `delay`.
  private func held(from start: Int64 = 0, delay: Int64, gap: Int64, count: Int) -> [Int64] {
    [start] + (0..<count).map { start + delay + gap * Int64($0) }
  }

  @Test(arguments: [(250, 33), (660, 40), (500, 16), (1000, 50), (200, 59)] as [(Int64, Int64)])
  func `a key that is held down never makes four presses`(delay: Int64, gap: Int64) {
    #expect(presses(held(delay: delay, gap: gap, count: 500)) == 2)
  }

  @Test(arguments: [(250, 92), (500, 125), (250, 66)] as [(Int64, Int64)])
  func `the even repeats of a slow keyboard never make four presses`(delay: Int64, gap: Int64) {
    let times = held(delay: delay, gap: gap, count: 200).enumerated().map { $1 + Int64($0 % 3) }
    #expect(presses(times) == 3)
  }

  @Test func `of repeated holds each counts once, apart from the first repeat, which cannot be recognized`() {
    let twice = held(delay: 250, gap: 33, count: 10) + held(from: 1000, delay: 250, gap: 33, count: 10)
    #expect(presses(twice) == 3)
  }

  @Test func `a delayed repeat is no press`() {
    var times = held(delay: 500, gap: 33, count: 10)
    for gap in [70, 33, 149, 0, 0, 33, 120, 33, 33] as [Int64] { times.append((times.last ?? 0) + gap) }
    #expect(presses(times) == 2)
  }

  @Test func `rapid presses are not taken for a key repeat for long`() {
    // Two fingers at once look like a repeat; what follows is uneven, and so comes from a person.
    let times: [Int64] = [0, 200, 240, 350, 470, 565, 690, 800, 905, 1030]
    #expect(presses(times) >= 4)
  }

  @Test func `after a hold that ended an alert nothing counts until the key is released`() {
    var filter = KeyRepeatFilter()
    _ = filter.isPress(at: 0)
    filter.waitForPause()
    let whileHeld = Array(stride(from: Int64(100), to: 5000, by: 100)).count { filter.isPress(at: $0) }
    let afterwards = ([6000, 6200, 6400, 6600] as [Int64]).count { filter.isPress(at: $0) }
    #expect(whileHeld == 0)
    #expect(afterwards == 4)
  }

  @Test func `after such a hold rapid presses count again at once`() {
    var filter = KeyRepeatFilter()
    _ = filter.isPress(at: 0)
    filter.waitForPause()
    let whileHeld = Array(stride(from: Int64(33), to: 3300, by: 33)).count { filter.isPress(at: $0) }
    #expect(whileHeld == 0)
    #expect(filter.mustBeLetGo)
    let hammering = ([3500, 3710, 3860, 4110, 4290, 4500, 4640] as [Int64]).count { filter.isPress(at: $0) }
    #expect(hammering >= 4)
    #expect(!filter.mustBeLetGo)
  }

  @Test(arguments: [(33, 10), (100, 10), (200, 10), (125, 3)] as [(Int64, Int64)])
  func `after such a hold a key that is still held is ignored`(gap: Int64, jitter: Int64) {
    var filter = KeyRepeatFilter()
    var random = SeededRandom(seed: UInt64(gap))
    var (due, now): (Int64, Int64) = (0, 0)
    _ = filter.isPress(at: now)
    filter.waitForPause()
    for index in 0..<300 {
      due += gap
      // Sometimes one is delayed, and the next comes sooner.
      let delay = index % 29 == 28 ? 80 : Int64.random(in: -jitter...jitter, using: &random)
      now = max(now, due + delay)
      let isPress = filter.isPress(at: now)
      #expect(!isPress)
    }
  }

  @Test(arguments: [[0, 0, 0, 0], [0, 5, 9, 14], [0, 100, 200, 300], [0, 250, 500, 750], [0, 900, 1800, 2700]])
  func `four presses are four presses, quick or slow or in one piece`(times: [Int64]) {
    #expect(presses(times) == 4)
  }

  @Test func `four presses in one read count even after an earlier press`() {
    #expect(presses([0, 2000, 2000, 2000, 2000]) == 5)
  }

  @Test func `after a hold that was too long, exactly four presses are needed`() {
    // The first press was held until it repeated; three more presses follow.
    #expect(presses(held(delay: 250, gap: 33, count: 3) + [700, 950, 1200]) == 4)
  }

  @Test func `the correction is reset with the taps`() {
    #expect(presses(held(delay: 250, gap: 33, count: 3) + [4000, 4200, 4400, 4600]) == 6)
  }
}

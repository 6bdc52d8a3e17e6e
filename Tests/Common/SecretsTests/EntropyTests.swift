import Testing

@testable import Secrets

@Suite struct EntropyTests {
  private let seed = [UInt8](0..<32)

  /// The expected values of this suite come from Python's hashlib, another implementation.
  @Test func `the stream is BLAKE2b-512 of a counter, keyed with the seed`() {
    var entropy = Entropy(seed: seed)
    let expected = """
      9212bc97156556f62890b1af163258514c78fd9c7a4fffa97a3381bca1fa788f239282c9d2934fa9bd1daab210574f3907a9351baeaa33d3e2a68484a6af5d25\
      b8a90f1bb350aac5f18d5c8014e25218
      """
    #expect(hexadecimal(entropy.bytes(80)) == expected)
  }

  @Test func `a word is read in little-endian order`() {
    var entropy = Entropy(seed: seed)
    #expect(entropy.word() == 17_750_486_124_741_792_402)
  }

  @Test func `the stream is the same in pieces of any size`() {
    var whole = Entropy(seed: seed)
    var cut = Entropy(seed: seed)
    let parts = [1, 63, 64, 65, 0, 7, 100].flatMap { cut.bytes($0) }
    #expect(whole.bytes(300) == parts)
  }

  @Test func `a purpose has its own stream, however much was read before`() {
    var entropy = Entropy(seed: seed)
    let before = entropy.bytes(16, for: "jitter")
    _ = entropy.bytes(100)
    #expect(entropy.bytes(16, for: "jitter") == before)
    #expect(hexadecimal(before) == "4b83d9b7813ce81437b6a3bf9755b5b7")
    #expect(entropy.bytes(16, for: "tokens") != before)
  }

  @Test func `live streams differ`() {
    var first = Entropy.live()
    var second = Entropy.live()
    #expect(first.bytes(32) != second.bytes(32))
    #expect(RandomBytes.live(0).isEmpty)
  }

  @Test(arguments: [1, 2, 3, 10, 1_000_000, UInt64.max]) func `a number is below its bound`(bound: UInt64) {
    var entropy = Entropy(seed: seed)
    for _ in 0..<1000 { #expect(entropy.number(below: bound) < bound) }
  }

  /// A bound of two thirds of the range: with a plain remainder the lower half would come up twice as often.
  @Test func `a number has no bias to low values`() {
    var entropy = Entropy(seed: seed)
    let bound = UInt64.max / 3 * 2
    let draws = 20_000
    let low = (0..<draws).count { _ in entropy.number(below: bound) < bound / 2 }
    // Six standard deviations.
    #expect(abs(low - draws / 2) < 6 * 71)
  }

  @Test func `digits are evenly distributed`() {
    var entropy = Entropy(seed: seed)
    var counts = [Int](repeating: 0, count: 10)
    for _ in 0..<100_000 { counts[Int(entropy.number(below: 10))] += 1 }
    // Six standard deviations.
    for count in counts { #expect(abs(count - 10_000) < 6 * 95) }
  }

  @Test func `fractions lie between 0 and 1`() {
    var entropy = Entropy(seed: seed)
    for _ in 0..<1000 { #expect((0..<1).contains(entropy.fraction())) }
  }
}

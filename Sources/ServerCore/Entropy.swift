package import Model

/// Randomness for one call: 32 bytes from the shell, stretched as far as the call needs.
///
/// The same seed gives the same bytes, so that a simulated run repeats. Each purpose has a stream of its own; asking
/// twice for the same purpose gives the same bytes again.
package struct Entropy: Sendable {
  static let seedBytes = 32
  private let seed: [UInt8]

  /// `seed` must be 32 bytes that nobody can foresee, and never be used for a second call.
  package init(seed: [UInt8]) {
    precondition(seed.count == Self.seedBytes, "a seed has 32 bytes")
    self.seed = seed
  }

  /// The first `count` bytes of the stream of `purpose`.
  package func bytes(_ count: Int, for purpose: String) -> [UInt8] {
    var stream = stream(for: purpose)
    return stream.bytes(count)
  }

  /// The stream of `purpose`, from its beginning.
  package func stream(for purpose: String) -> EntropyStream {
    EntropyStream(seed: seed, purpose: purpose)
  }
}

/// Random bytes one after the other.
package struct EntropyStream: Sendable {
  private var state: UInt64 = 0xcbf2_9ce4_8422_2325

  init(seed: [UInt8], purpose: String) {
    // A stand-in until the keyed hash of Secrets is here.
    for byte in seed + Array(purpose.utf8) { state = (state ^ UInt64(byte)) &* 0x100_0000_01b3 }
  }

  package mutating func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in UInt8(truncatingIfNeeded: word() >> 32) }
  }

  /// 64 random bits.
  package mutating func word() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var word = state
    word = (word ^ (word >> 30)) &* 0xbf58_476d_1ce4_e5b9
    word = (word ^ (word >> 27)) &* 0x94d0_49bb_1331_11eb
    return word ^ (word >> 31)
  }

  /// A fresh id of version 7.
  package mutating func identifier<Subject>(at time: Timestamp) -> Identifier<Subject> {
    Identifier(versionSevenAt: time, random: (word(), word()))
  }

  /// Evenly spread over 0..<1.
  package mutating func fraction() -> Double { Double(word() >> 11) * 0x1p-53 }
}

import CSodium

/// A random stream as a value: expands a 32-byte seed to any number of bytes.
///
/// The stream is BLAKE2b-512 (RFC 7693) keyed with the seed, over a 64-bit little-endian counter that starts at zero: without the
/// seed it cannot be told from noise, and with it it repeats to the byte. A shell takes `live()` once for each request;
/// a test or the simulator gives a seed of its own. A copy gives the same bytes again, so pass it on as `inout`.
///
/// ```swift
/// var entropy = Entropy.live()
/// let token = Base64URL.encode(entropy.bytes(32))
/// let code = entropy.number(below: 1_000_000)
/// var jitter = entropy.stream(for: "jitter")
/// ```
package struct Entropy: Sendable {
  package static let seedByteCount = 32
  private static let blockByteCount = 64

  private let seed: [UInt8]
  private var counter: UInt64 = 0
  private var block: ArraySlice<UInt8> = []

  /// Requires a seed of exactly `seedByteCount` bytes; traps otherwise.
  package init(seed: [UInt8]) {
    precondition(seed.count == Self.seedByteCount, "a seed has 32 bytes")
    self.seed = seed
  }

  /// A new stream from the kernel's generator, for shells.
  package static func live() -> Self {
    Self(seed: RandomBytes.live(seedByteCount))
  }

  /// The next `count` bytes.
  package mutating func bytes(_ count: Int) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(count)
    while result.count < count {
      if block.isEmpty { block = nextBlock()[...] }
      let part = block.prefix(count - result.count)
      result.append(contentsOf: part)
      block = block.dropFirst(part.count)
    }
    return result
  }

  /// The first `count` bytes of the stream for `purpose`; repeated calls return the same bytes.
  package func bytes(_ count: Int, for purpose: String) -> [UInt8] {
    var stream = stream(for: purpose)
    return stream.bytes(count)
  }

  /// A stream of its own for `purpose`, from its beginning. It tells nothing of this stream nor of another purpose's, and
  /// does not depend on how much of this one was taken: parts of one call that share an `Entropy` need not take turns.
  package func stream(for purpose: String) -> Self {
    Self(seed: genericHash(Array(purpose.utf8), key: seed, byteCount: Self.seedByteCount))
  }

  /// The next 64 bits.
  package mutating func word() -> UInt64 {
    bytes(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// The next 128 bits, in the shape that `Identifier` takes.
  package mutating func words() -> (UInt64, UInt64) {
    let first = word()
    return (first, word())
  }

  /// A uniform number in `0..<bound`, by rejection of draws that would cause bias. `bound` is at least 1.
  package mutating func number(below bound: UInt64) -> UInt64 {
    precondition(bound > 0, "there is no number below zero")
    // 2^64 mod bound: draws below it are rejected, because their remainders would be more likely.
    let surplus = (0 &- bound) % bound
    while true {
      let draw = word()
      if draw >= surplus { return draw % bound }
    }
  }

  /// Uniform over 0..<1.
  package mutating func fraction() -> Double {
    Double(word() >> 11) * 0x1p-53
  }

  private mutating func nextBlock() -> [UInt8] {
    let message = withUnsafeBytes(of: counter.littleEndian) { Array($0) }
    counter += 1
    return genericHash(message, key: seed, byteCount: Self.blockByteCount)
  }
}

/// The kernel's random generator.
package enum RandomBytes {
  /// `count` unpredictable bytes. For shells only: the core takes its randomness from them.
  package static func live(_ count: Int) -> [UInt8] {
    Sodium.ready
    var bytes = [UInt8](repeating: 0, count: count)
    randombytes_buf(&bytes, count)
    return bytes
  }
}

import CHash
package import Wire

/// The search for a proof of work, in short pieces, between which it can be stopped.
package struct WorkSearch: Sendable {
  /// More work this device does for no server: about two minutes of an old phone, twice what our server asks for at most.
  package static let maximumHashes = 0x1p26
  /// A few milliseconds on a laptop.
  private static let hashesPerPiece: UInt64 = 1 << 14

  private let challenge: WorkChallenge
  private let message: [UInt8]
  private var found: [UInt64] = []
  private var next: UInt64 = 0

  /// Nil if this device does not do the work: it is too much, or libsodium is missing.
  package init?(_ challenge: WorkChallenge) {
    guard challenge.averageHashes <= Self.maximumHashes, lifesignal_hash_load() == nil else { return nil }
    self.challenge = challenge
    message = Array(challenge.text.utf8)
  }

  /// Tries some more nonces. Returns the proof once it is complete.
  package mutating func advance() -> WorkProof? {
    let end = next + Self.hashesPerPiece
    while next < end, found.count < challenge.nonceCount {
      let bits = Int32(challenge.zeroBits)
      guard lifesignal_hash_search(message, message.count, bits, end - next, &next) == 1 else { continue }
      found.append(next)
      next += 1
    }
    return found.count < challenge.nonceCount ? nil : WorkProof(challenge: challenge.text, nonces: found)
  }

  /// How long the rest takes on average, at the speed until now; nil before the first piece.
  package func secondsLeft(afterMilliseconds elapsed: Int64) -> Double? {
    guard next > 0 else { return nil }
    let left = challenge.averageHashes * Double(challenge.nonceCount - found.count) / Double(challenge.nonceCount)
    return left / Double(next) * Double(elapsed) / 1000
  }

  /// Searches to the end. Returns nil if it is stopped.
  /// - Parameters:
  ///   - tell: called at most once, with the seconds that it takes from then on, if these are some.
  ///   - isStopped: asked between the pieces.
  package mutating func run(tell: (Int) -> Void, isStopped: () -> Bool) -> WorkProof? {
    let start = DeviceClock.monotonicMilliseconds()
    var isTold = false
    while !isStopped() {
      if let proof = advance() { return proof }
      let elapsed = DeviceClock.monotonicMilliseconds() - start
      guard !isTold, elapsed >= Self.measuringMilliseconds else { continue }
      isTold = true
      if let seconds = secondsLeft(afterMilliseconds: elapsed), seconds >= 1 { tell(Int(seconds.rounded(.up))) }
    }
    return nil
  }

  /// How long it measures its own speed before it says how long the work takes.
  private static let measuringMilliseconds: Int64 = 250
}

/// How often a device works for one code.
package struct WorkRounds: Sendable {
  /// The price may rise while the device works, so that one proof is not always enough.
  private var proofsLeft = 3

  package init() {}

  /// What to do after a request failed with `error`, before the next one; nil if the error stands.
  package mutating func search(after error: AccountError) -> WorkSearch? {
    guard case .refused(let problem) = error, problem.kind == .rateLimited, let challenge = problem.work, proofsLeft > 0
    else { return nil }
    proofsLeft -= 1
    return WorkSearch(challenge)
  }
}

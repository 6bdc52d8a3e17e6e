import Model
import Secrets
import Wire

/// Makes challenges before a code to one number, and checks the proofs that answer them. No challenge is stored: each contains when it was
/// made and how much work it asks for, with a tag that only the server can make.
///
/// A proof brings one code: each code to the number, with work or without, spends all challenges that are older.
struct CodeChallenge {
  static let lifetimeMilliseconds: Int64 = 10 * 60_000
  /// How far the clocks of two servers on one database may be apart.
  private static let clockToleranceMilliseconds: Int64 = 60_000
  private static let tagByteCount = 16

  /// E.164.
  let phone: String
  /// When the newest code to the number went out, in the last hour.
  let latestCodeAt: Timestamp?
  let now: Timestamp
  let keys: ServerKeys

  /// Why a proof brings no code.
  enum Fault: Sendable, Hashable {
    /// Not a challenge of this server for this number.
    case unknownChallenge
    case expired
    /// Its code has gone out.
    case spent
    /// It was enough when the challenge was made.
    case tooLittle
    /// Not the nonces that were asked for.
    case wrong
  }

  func make(zeroBits: Int) -> WorkChallenge {
    let terms = Terms(madeAt: now, zeroBits: UInt8(clamping: zeroBits), nonceCount: UInt8(CodeWork.nonceCount))
    return WorkChallenge(
      text: Base64URL.encode(terms.bytes + tag(terms.bytes)), zeroBits: Int(terms.zeroBits),
      nonceCount: Int(terms.nonceCount))
  }

  /// Nil if the proof is good.
  /// - Parameter zeroBits: what is asked for now. One less still counts, so that the price does not rise while a device works.
  func fault(in proof: WorkProof, zeroBits: Int) -> Fault? {
    guard let bytes = Base64URL.decode(proof.challenge), let terms = Terms(bytes.prefix(Terms.byteCount)),
      ConstantTime.equal(Array(bytes.dropFirst(Terms.byteCount)), tag(terms.bytes))
    else { return .unknownChallenge }
    let age = now.milliseconds(since: terms.madeAt)
    guard (-Self.clockToleranceMilliseconds..<Self.lifetimeMilliseconds).contains(age) else { return .expired }
    if let latestCodeAt, latestCodeAt >= terms.madeAt { return .spent }
    guard terms.zeroBits >= zeroBits - 1 else { return .tooLittle }
    return Self.isDone(proof, terms) ? nil : .wrong
  }

  private static func isDone(_ proof: WorkProof, _ terms: Terms) -> Bool {
    guard proof.nonces.count == terms.nonceCount, zip(proof.nonces, proof.nonces.dropFirst()).allSatisfy(<) else {
      return false
    }
    let challenge = Array(proof.challenge.utf8)
    return proof.nonces.allSatisfy { nonce in
      leadingZeroBits(SHA256.of(challenge + WorkProof.bytes(nonce))) >= terms.zeroBits
    }
  }

  private static func leadingZeroBits(_ hash: [UInt8]) -> Int {
    let zeros = hash.prefix { $0 == 0 }.count
    return zeros * 8 + (zeros < hash.count ? hash[zeros].leadingZeroBitCount : 0)
  }

  private func tag(_ terms: [UInt8]) -> [UInt8] {
    Array(keys.hash(terms + Array(phone.utf8), for: .codeChallenge).prefix(Self.tagByteCount))
  }

  /// What a challenge says of itself.
  private struct Terms {
    static let byteCount = 10

    let madeAt: Timestamp
    let zeroBits: UInt8
    let nonceCount: UInt8

    init(madeAt: Timestamp, zeroBits: UInt8, nonceCount: UInt8) {
      self.madeAt = madeAt
      self.zeroBits = zeroBits
      self.nonceCount = nonceCount
    }

    init?(_ bytes: ArraySlice<UInt8>) {
      guard bytes.count == Self.byteCount, let nonceCount = bytes.last else { return nil }
      let time = bytes.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      madeAt = Timestamp(milliseconds: Int64(bitPattern: time))
      zeroBits = bytes[bytes.startIndex + 8]
      self.nonceCount = nonceCount
    }

    var bytes: [UInt8] {
      withUnsafeBytes(of: madeAt.milliseconds.bigEndian) { Array($0) } + [zeroBits, nonceCount]
    }
  }
}

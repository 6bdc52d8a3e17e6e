import Secrets
import Wire

extension WorkChallenge {
  /// A proof, found with other code than a device's. The nonces begin at `first`.
  func solved(from first: UInt64 = 0) -> WorkProof {
    var nonces: [UInt64] = []
    var nonce = first
    while nonces.count < nonceCount {
      if isHit(nonce) { nonces.append(nonce) }
      nonce += 1
    }
    return WorkProof(challenge: text, nonces: nonces)
  }

  /// A nonce that does not do.
  var miss: UInt64 {
    var nonce: UInt64 = 0
    while isHit(nonce) { nonce += 1 }
    return nonce
  }

  private func isHit(_ nonce: UInt64) -> Bool {
    let hash = SHA256.of(Array(text.utf8) + WorkProof.bytes(nonce))
    let beginning = hash.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return beginning.leadingZeroBitCount >= zeroBits
  }
}

/// Work that a server asks for before it gives what many ask for: the member `proof_of_work` of a problem.
///
/// A proof is `nonceCount` different nonces for each of which SHA-256 of `text` and the nonce (8 bytes, most significant first) begins
/// with `zeroBits` zero bits. Several nonces, since the time for one varies much more than that for eight.
package struct WorkChallenge: Hashable, Sendable {
  /// For the server: the proof has it again.
  package var text: String
  package var zeroBits: Int
  package var nonceCount: Int

  package static let maximumNonces = 64

  package init(text: String, zeroBits: Int, nonceCount: Int) {
    self.text = text
    self.zeroBits = zeroBits
    self.nonceCount = nonceCount
  }

  /// How many hashes a proof takes on average.
  package var averageHashes: Double {
    var hashes = Double(nonceCount)
    for _ in 0..<zeroBits { hashes *= 2 }
    return hashes
  }

  func write(to json: inout JSONWriter) {
    json.object {
      $0.member("challenge", text)
      $0.member("zero_bits", zeroBits)
      $0.member("nonce_count", nonceCount)
    }
  }
}

extension WorkChallenge: JSONBody {
  package init(json: JSONValue) throws(JSONError) {
    text = try json.token("challenge")
    zeroBits = try json.integer("zero_bits")
    nonceCount = try json.integer("nonce_count")
    guard (0...256).contains(zeroBits), (1...Self.maximumNonces).contains(nonceCount) else {
      throw JSONError(.wrongShape, "nobody can do this work")
    }
  }
}

/// The nonces that were found for a challenge, ascending.
package struct WorkProof: Hashable, Sendable {
  /// The text of the challenge.
  package var challenge: String
  package var nonces: [UInt64]

  package init(challenge: String, nonces: [UInt64]) {
    self.challenge = challenge
    self.nonces = nonces
  }

  /// What is hashed behind the challenge.
  package static func bytes(_ nonce: UInt64) -> [UInt8] { withUnsafeBytes(of: nonce.bigEndian) { Array($0) } }

  func write(to json: inout JSONWriter) {
    json.object { json in
      json.member("challenge", challenge)
      json.key("nonces")
      json.array { for nonce in nonces { $0.integer(nonce) } }
    }
  }
}

extension WorkProof: JSONBody {
  package init(json: JSONValue) throws(JSONError) {
    challenge = try json.opaque("challenge")
    nonces = []
    for value in try json.array("nonces") {
      guard let nonce = UInt64(exactly: try value.integer()) else {
        throw JSONError(.wrongShape, "a nonce is a whole number from 0")
      }
      guard nonces.count < WorkChallenge.maximumNonces else {
        throw JSONError(.wrongShape, "these are too many nonces")
      }
      nonces.append(nonce)
    }
  }
}

import Secrets
import Testing
import Wire

@testable import DeviceCore

@Suite struct `The search for a proof of work` {
  private func challenge(_ zeroBits: Int, nonces: Int = 8) -> WorkChallenge {
    WorkChallenge(text: "AAABodOxbjQQCNZ4Yc0pmZVmR1tk8WvK0fA", zeroBits: zeroBits, nonceCount: nonces)
  }

  @Test(arguments: [0, 1, 7, 8, 9, 12]) func `finds the first nonces that do`(zeroBits: Int) throws {
    let challenge = challenge(zeroBits)
    var search = try #require(WorkSearch(challenge))
    let found = search.run(tell: { _ in }, isStopped: { false })
    let proof = try #require(found)
    #expect(proof.challenge == challenge.text)
    let last = try #require(proof.nonces.last)
    #expect(proof.nonces == (0...last).filter { zeros(challenge, $0) >= zeroBits })
    #expect(proof.nonces.count == 8)
  }

  private func zeros(_ challenge: WorkChallenge, _ nonce: UInt64) -> Int {
    let hash = SHA256.of(Array(challenge.text.utf8) + WorkProof.bytes(nonce))
    let zeroBytes = hash.prefix { $0 == 0 }.count
    return zeroBytes * 8 + hash[zeroBytes].leadingZeroBitCount
  }

  @Test(arguments: [(24, 8), (23, 9), (21, 64), (200, 1), (256, 1), (256, 64)])
  func `does not begin what is too much`(zeroBits: Int, nonces: Int) {
    #expect(WorkSearch(challenge(zeroBits, nonces: nonces)) == nil)
  }

  @Test func `begins twice as much as our server asks for at most`() {
    #expect(WorkSearch(challenge(23)) != nil)
  }

  @Test func `stops between two pieces`() throws {
    var search = try #require(WorkSearch(challenge(23)))
    var pieces = 0
    let proof = search.run(tell: { _ in }) {
      pieces += 1
      return pieces == 4
    }
    #expect(proof == nil && pieces == 4)
  }

  @Test func `says once how long it takes`() throws {
    var search = try #require(WorkSearch(challenge(23)))
    var told: [Int] = []
    var piecesAfter = 0
    _ = search.run(tell: { told.append($0) }) {
      if !told.isEmpty { piecesAfter += 1 }
      return piecesAfter == 20
    }
    #expect(told.count == 1 && (2...600).contains(told[0]), "\(told)")
  }

  @Test func `says nothing of short work`() throws {
    var search = try #require(WorkSearch(challenge(13)))
    var told: [Int] = []
    let proof = search.run(tell: { told.append($0) }, isStopped: { false })
    #expect(proof != nil && told.isEmpty)
  }

  @Test func `expects the rest at its speed until now`() throws {
    var search = try #require(WorkSearch(challenge(23)))
    #expect(search.secondsLeft(afterMilliseconds: 1) == nil)
    let proof = search.advance()
    #expect(proof == nil)
    // 2^14 of 2^26 hashes in a second.
    #expect(search.secondsLeft(afterMilliseconds: 1000) == 4096)
  }
}

import Model
import Testing
import Wire

@testable import ServerCore

/// Work before a code, while the codes of a number, of a country or of all are used up.
@Suite struct `Work for a code` {
  private static let phone = "+12025550123"
  private var phone: String { Self.phone }

  /// So little work that a test can do it thousands of times.
  private static func limits(_ change: (inout AuthenticationLimits) -> Void = { _ in }) -> AuthenticationLimits {
    var limits = AuthenticationLimits()
    limits.codeWorkZeroBits = 0
    change(&limits)
    return limits
  }

  /// Asks, and does the work that is asked for. Returns the last answer.
  private func work(
    _ phone: String, from address: String = "192.0.2.1", on server: AuthenticationServer
  ) -> Answer {
    let first = server.verify(phone, from: address)
    guard let challenge = first.work else { return first }
    return server.verify(phone, from: address, proof: challenge.solved())
  }

  @Test(arguments: [300, 3000]) func `gets a code at once while many others ask without`(attackers: Int) throws {
    let server = try AuthenticationServer(Self.limits())
    for index in 0..<attackers { _ = server.verify(number(index), from: network(index)) }
    let refused = server.verify(phone)
    #expect(refused.problem == .rateLimited && refused.retryAfterSeconds == 12)
    let challenge = try #require(refused.work)
    #expect(challenge.averageHashes == 8, "the least work")
    let answer = server.verify(phone, proof: challenge.solved())
    #expect(answer.status == 201 && answer.codes.count == 1)
    #expect(try server.guess(answer.codes[0].code, for: verification(answer)).status == 201)
  }

  @Test(arguments: [(600, 2), (3000, 5)]) func `gets a code at once while others work too, for more work`(
    attackers: Int, doublings: Int
  ) throws {
    let server = try AuthenticationServer(Self.limits())
    let answers = (0..<attackers).map { work(number($0), from: network($0), on: server) }
    #expect(answers.allSatisfy { $0.status == 201 })
    let challenge = server.verify(phone).work
    #expect(challenge?.zeroBits == doublings)
    #expect(work(phone, on: server).status == 201)
  }

  @Test func `is as much as a device can do, by default`() throws {
    var limits = AuthenticationLimits()
    limits.codesPerCountryAndHour = 1
    let server = try AuthenticationServer(limits)
    #expect(server.verify(number(0)).status == 201)
    let least = try #require(server.verify(phone).work)
    #expect(least.averageHashes == 0x1p19)
    var most = least
    most.zeroBits += CodeWork.doublings
    #expect(most.averageHashes == 0x1p25)
  }

  @Test(arguments: [
    (0, 0), (47, 0), (48, 1), (142, 1), (143, 2), (1476, 4), (1477, 5), (2999, 5), (3000, 6), (9000, 6),
  ])
  func `doubles as its codes are used up`(used: Int, doublings: Int) {
    #expect(CodeWork.doublings(used: used, of: 3000) == doublings)
  }

  @Test func `has an end, after which codes go out one at a time as without`() throws {
    let server = try AuthenticationServer(
      Self.limits {
        $0.codesPerCountryAndHour = 10
        $0.codesForWorkPerHour = 20
      })
    for index in 0..<30 { #expect(work(number(index), from: network(index), on: server).status == 201) }
    let refused = server.verify(phone)
    #expect(refused.status == 429 && refused.work == nil)
    #expect(refused.retryAfterSeconds == 360)
    server.advance(seconds: 360)
    #expect(server.verify(phone).status == 201)
    #expect(server.verify(number(40), from: network(40)).work == nil)
    server.advance(seconds: 3600)
    #expect(server.verify(number(40), from: network(40)).status == 201)
  }

  @Test func `takes nothing from devices that do none`() throws {
    let server = try AuthenticationServer(Self.limits())
    for index in 0..<300 { #expect(server.verify(number(index), from: network(index)).status == 201) }
    for slot in 0..<20 {
      for index in 0..<12 {
        server.advance(seconds: 1)
        if index == 11 {
          #expect(server.verify(number(500 + slot), from: network(500 + slot)).status == 201, "slot \(slot)")
        }
        let worker = 1000 + slot * 12 + index
        #expect(work(number(worker), from: network(worker), on: server).status == 201)
      }
    }
    // An hour after the first 300, as many go out again.
    server.advance(seconds: 3600)
    #expect(server.verify(phone).status == 201)
  }

  @Test func `is asked for where the codes of all countries are used up, too`() throws {
    let server = try AuthenticationServer(Self.limits { $0.codesInTotalPerHour = 1 })
    #expect(server.verify(number(0)).status == 201)
    #expect(work("+442079460958", on: server).status == 201)
  }

  /// Asks for codes to `phone` from as many networks, until the number has no more.
  private func useUp(_ count: Int, on server: AuthenticationServer) {
    for index in 0..<count {
      #expect(server.verify(phone, from: network(index)).status == 201)
      server.advance(seconds: 60)
    }
  }

  @Test func `gets a code to a number whose codes somebody with many networks has used up`() throws {
    let server = try AuthenticationServer(Self.limits())
    useUp(5, on: server)
    let refused = server.verify(phone)
    #expect(refused.retryAfterSeconds == 3300 && refused.work?.averageHashes == 8, "the least work")
    #expect(work(phone, on: server).status == 201)
    #expect(server.verify(phone, from: network(5)).work == nil, "a code was sent a moment ago")
  }

  @Test func `to one number becomes dearer, has an end, and takes nothing from who shows none`() throws {
    let server = try AuthenticationServer(Self.limits())
    useUp(5, on: server)
    for (index, doublings) in [0, 4, 5].enumerated() {
      #expect(server.verify(phone, from: network(10 + index)).work?.zeroBits == doublings)
      #expect(work(phone, from: network(10 + index), on: server).status == 201)
      server.advance(seconds: 60)
    }
    let refused = server.verify(phone)
    #expect(refused.status == 429 && refused.work == nil)
    #expect(refused.retryAfterSeconds == 3600 - 480)
    server.advance(seconds: 3600 - 480)
    #expect(server.verify(phone).status == 201)
  }

  @Test func `gets a code where the number's and the country's are used up, and counts for both`() throws {
    let server = try AuthenticationServer(
      Self.limits {
        $0.codesPerCountryAndHour = 5
        $0.codesForWorkPerHour = 1
      })
    useUp(5, on: server)
    #expect(work(phone, on: server).status == 201)
    server.advance(seconds: 60)
    #expect(server.verify(phone).work == nil && server.verify(number(0)).work == nil)
  }

  @Test func `does not help beyond the limits of an address, and of a network for a number`() throws {
    let server = try AuthenticationServer(Self.limits { $0.codesPerCountryAndHour = 1 })
    #expect(server.verify(number(0), from: network(0)).status == 201)
    for _ in 0..<4 {
      #expect(work(phone, on: server).status == 201)
      #expect(server.verify(phone).work == nil, "a code was sent a moment ago")
      server.advance(seconds: 60)
    }
    #expect(server.verify(phone).status == 429 && server.verify(phone).work == nil)
    for index in 1..<17 { #expect(work(number(index), on: server).status == 201) }
    #expect(server.verify(number(17)).work == nil, "20 of one address")
    let proof = try #require(server.verify(number(17), from: network(1)).work).solved()
    #expect(server.verify(number(17), proof: proof).status == 429)
    #expect(server.verify(number(17), from: network(1), proof: proof).status == 201)
  }

  @Test func `is asked for neither where no codes go nor where the operator wants none`() throws {
    for change: (inout AuthenticationLimits) -> Void in [
      { $0.codesPerHourByCountry = ["US": 0] }, { $0.codesInTotalPerHour = 0 },
      {
        $0.codesPerCountryAndHour = 1
        $0.codesForWorkPerHour = 0
      },
    ] {
      let server = try AuthenticationServer(Self.limits(change))
      _ = server.verify(number(0))
      let refused = server.verify(phone)
      #expect(refused.status == 429 && refused.work == nil)
    }
  }

  @Test func `is counted for the operator`() throws {
    let server = try AuthenticationServer(Self.limits { $0.codesPerCountryAndHour = 1 })
    #expect(server.verify(number(0)).observations == [])
    let asked = server.verify(phone)
    #expect(asked.observations == [.codeWork(.challenged)])
    let proof = try #require(asked.work).solved()
    let foreign = server.verify(number(1), proof: proof)
    #expect(foreign.observations == [.codeWork(.refused), .codeWork(.challenged)])
    #expect(server.verify(phone, proof: proof).observations == [.codeWork(.accepted)])
  }

  private func verification(_ answer: Answer) throws -> String {
    try VerificationResponse(jsonBytes: answer.body).verificationID
  }
}

/// A number of the United States.
private func number(_ index: Int) -> String { "+1202\(5_551_000 + index)" }

/// An address of a network of its own.
private func network(_ index: Int) -> String { "10.\(index / 250).\(index % 250).1" }

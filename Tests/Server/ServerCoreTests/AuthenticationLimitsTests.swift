import Model
import Secrets
import Testing
import Wire

@testable import ServerCore

/// The limits on sending codes.
@Suite struct AuthenticationLimitsTests {
  private let phone = "+12025550123"

  @Test func `the next code to a number waits a minute`() throws {
    let server = try AuthenticationServer()
    #expect(server.verify(phone).status == 201)
    server.advance(milliseconds: 59_999)
    let early = server.verify(phone, from: "198.51.100.7")
    #expect(early.problem == .rateLimited)
    #expect(early.retryAfterSeconds == 1)
    #expect(early.codes.isEmpty)
    server.advance(milliseconds: 1)
    #expect(server.verify(phone).status == 201)
  }

  @Test func `after a code was used the next one is sent at once`() throws {
    let server = try AuthenticationServer()
    for _ in 0..<4 { _ = try server.signIn(phone) }
    #expect(server.verify(phone).retryAfterSeconds == 3600)
  }

  @Test func `a number gets five codes an hour`() throws {
    let server = try AuthenticationServer()
    for index in 0..<5 {
      #expect(server.verify(phone, from: "10.0.\(index).1").status == 201)
      server.advance(seconds: 60)
    }
    let sixth = server.verify(phone, from: "198.51.100.7")
    #expect(sixth.status == 429)
    #expect(sixth.retryAfterSeconds == 3600 - 300)
    #expect(server.verify("+442079460958").status == 201)
    server.advance(milliseconds: 3_300_000 - 1)
    #expect(server.verify(phone).status == 429)
    server.advance(milliseconds: 1)
    #expect(server.verify(phone).status == 201)
    #expect(server.verify(phone).status == 429)
  }

  @Test func `a number gets ten codes a day, and then one an hour`() throws {
    let server = try AuthenticationServer()
    for index in 0..<10 {
      #expect(server.verify(phone, from: "10.0.\(index).1").status == 201)
      server.advance(seconds: 1200)
    }
    for index in 10..<22 {
      #expect(server.verify(phone).retryAfterSeconds == 2400)
      server.advance(seconds: 2400)
      #expect(server.verify(phone, from: "10.0.\(index).1").status == 201)
      server.advance(seconds: 1200)
    }
    server.advance(seconds: 86_400)
    for _ in 0..<4 {
      #expect(server.verify(phone).status == 201)
      server.advance(seconds: 60)
    }
  }

  @Test func `an operator lets one number have codes again, and no other limit goes`() throws {
    let server = try AuthenticationServer()
    let other = "+12025550188"
    func ask(_ phone: String) -> Int {
      let status = server.verify(phone).status
      server.advance(seconds: 60)
      return status
    }
    func allow(_ phone: String) throws {
      let moment = ServerMoment(now: server.now, entropy: Entropy(seed: [UInt8](repeating: 0, count: 32)))
      try server.core.allowCodes(to: phone, at: moment, in: server.store)
    }
    for number in [phone, other] {
      for _ in 0..<4 { #expect(ask(number) == 201) }
      #expect(ask(number) == 429)
    }
    for _ in 0..<3 {
      try allow(phone)
      for _ in 0..<4 { #expect(ask(phone) == 201) }
      #expect(ask(phone) == 429 && server.verify(other).status == 429)
    }
    // 20 codes came from this address.
    try allow(phone)
    #expect(server.verify(phone).status == 429 && server.verify(phone, from: "198.51.100.7").status == 201)
    #expect(server.verify(phone, from: "198.51.100.7").retryAfterSeconds == 60)
  }

  @Test func `one network leaves codes of a number to others, whatever it asks for`() throws {
    let server = try AuthenticationServer()
    for hour in 0..<48 {
      // From many addresses, as often as it may.
      for minute in 0..<50 {
        _ = server.verify(phone, from: "192.0.2.\(minute)")
        server.advance(seconds: 60)
      }
      if hour % 8 == 7 {
        #expect(server.verify(phone, from: "198.51.100.7").status == 201, "hour \(hour)")
      }
      server.advance(seconds: 600)
    }
  }

  @Test func `an address gets twenty codes an hour`() throws {
    let server = try AuthenticationServer()
    for index in 0..<20 { #expect(server.verify(number(index)).status == 201) }
    #expect(server.verify(number(20)).retryAfterSeconds == 180)
    #expect(server.verify(number(20), from: "192.0.2.2").status == 201)
  }

  @Test(arguments: [("192.0.2.", "192.0.3.1"), ("2001:db8:1:", "2001:db8:2::1")])
  func `a network gets sixty codes an hour`(prefix: String, other: String) throws {
    let server = try AuthenticationServer()
    func address(_ index: Int) -> String { prefix + (prefix.contains(":") ? "\(index)::1" : "\(index)") }
    for index in 0..<60 { #expect(server.verify(number(index), from: address(index / 2)).status == 201) }
    #expect(server.verify(number(60), from: address(77)).retryAfterSeconds == 600)
    #expect(server.verify(number(60), from: other).status == 201)
  }

  @Test func `an attacker who takes all codes of a country leaves one every twelve seconds`() throws {
    let server = try AuthenticationServer()
    for index in 0..<300 { #expect(server.verify(number(index), from: "10.\(index).0.1").status == 201) }
    #expect(server.verify(phone).retryAfterSeconds == 12)
    server.advance(seconds: 12)
    #expect(server.verify(phone).status == 201)
    #expect(server.verify("+12025550187").retryAfterSeconds == 12)
  }

  @Test func `an IPv6 address is counted by its prefix`() throws {
    let server = try AuthenticationServer()
    for index in 0..<20 { #expect(server.verify(number(index), from: "2001:db8:1:2::\(index)").status == 201) }
    #expect(server.verify(number(20), from: "2001:db8:1:2:ffff::1").status == 429)
    #expect(server.verify(number(20), from: "2001:db8:1:3::1").status == 201)
  }

  @Test(arguments: [
    ("192.0.2.1", "192.0.2.1"), ("::ffff:192.0.2.1", "192.0.2.1"), ("2001:db8:0:7::1", "2001:db8:0:7/64"),
    ("fe80::1%eth0", "fe80:0:0:0/64"), ("::1", "0:0:0:0/64"), ("somewhere", "somewhere"), ("", ""),
  ]) func `an address maps to its subject`(address: String, subject: String) {
    #expect(RemoteAddress.subject(address) == subject)
  }

  @Test(arguments: [
    ("192.0.2.1", "192.0.2.0/24"), ("::ffff:192.0.2.1", "192.0.2.0/24"), ("2001:db8:0:7::1", "2001:db8:0/48"),
    ("somewhere", "somewhere"), ("", ""),
  ]) func `an address maps to its network`(address: String, network: String) {
    #expect(RemoteAddress.network(address) == network)
  }

  @Test func `a run over a thousand numbers from one address stops at its cap`() throws {
    let server = try AuthenticationServer()
    let answers = (0..<1000).map { server.verify(number($0)) }
    #expect(answers.count { $0.status == 201 } == 20)
    #expect(answers.reduce(0) { $0 + $1.codes.count } == 20)
  }

  @Test func `a run over a thousand numbers from as many addresses stops at the country's cap`() throws {
    let server = try AuthenticationServer()
    let answers = (0..<1000).map { server.verify(number($0), from: "10.\($0 / 250).\($0 % 250).1") }
    #expect(answers.count { $0.status == 201 } == 300)
    #expect(answers.dropFirst(300).allSatisfy { $0.status == 429 && $0.codes.isEmpty })
    #expect(server.verify("+442079460958", from: "10.9.9.9").status == 201)
  }

  @Test func `a run over a thousand numbers stops at the cap for all`() throws {
    var limits = AuthenticationLimits()
    limits.codesPerCountryAndHour = 10_000
    limits.codesInTotalPerHour = 150
    let server = try AuthenticationServer(limits)
    let answers = try atOnce(50) { thread in
      (0..<20).map { server.verify(number(thread * 20 + $0), from: "10.0.\(thread).\($0)") }
    }.flatMap { $0 }
    #expect(answers.count { $0.status == 201 } == 150)
    #expect(server.verify("+442079460958", from: "10.9.9.9").status == 429)
    let wait = try #require(server.verify("+442079460958", from: "10.9.9.9").retryAfterSeconds)
    #expect(wait == 24)
    server.advance(seconds: Int64(wait))
    #expect(server.verify("+442079460958", from: "10.9.9.9").status == 201)
  }

  @Test func `a country may have its own limit, or none`() throws {
    var limits = AuthenticationLimits()
    limits.codesPerHourByCountry = ["GB": 0, "US": 2]
    let server = try AuthenticationServer(limits)
    #expect(server.verify("+442079460958").status == 429)
    #expect(server.verify(number(0)).status == 201)
    #expect(server.verify(number(1)).status == 201)
    #expect(server.verify(number(2)).status == 429)
    #expect(server.verify("+4930901820").status == 201)
  }

  @Test func `a restart resets nothing`() throws {
    let store = try TestStore()
    let server = try AuthenticationServer(store: store)
    for index in 0..<20 { #expect(server.verify(number(index)).status == 201) }
    let restarted = try AuthenticationServer(store: store.reopened())
    #expect(restarted.verify(number(20)).retryAfterSeconds == 180)
    #expect(restarted.verify(number(0), from: "192.0.2.2").status == 429)
  }

  @Test func `refused requests do not count`() throws {
    let server = try AuthenticationServer()
    #expect(server.verify(phone).status == 201)
    for _ in 0..<100 { #expect(server.verify(phone).status == 429) }
    for _ in 0..<100 { #expect(server.verify("nonsense").status == 400) }
    server.advance(seconds: 60)
    #expect(server.verify(phone).status == 201)
  }

  @Test func `a clock set back locks nobody out`() throws {
    let server = try AuthenticationServer()
    server.advance(days: 365)
    for index in 0..<20 { #expect(server.verify(number(index)).status == 201) }
    server.advance(days: -365)
    #expect(server.verify(number(0)).status == 201)
  }
}

/// A number of the United States.
private func number(_ index: Int) -> String { "+1202555\(1000 + index)" }

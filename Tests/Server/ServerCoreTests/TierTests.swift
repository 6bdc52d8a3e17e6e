import Model
import Testing
import Wire

@testable import ServerCore

/// The tiers of responders.
@Suite struct `The next tier` {
  @Test func `is told after three minutes, and the one after it with the next round`() throws {
    let scene = try AskingScene(others: ["Ben", "Cleo"], tiers: [1, 2, 5])
    #expect(scene.first.map(\.target.contact) == [scene.contacts[0]])
    #expect(try scene.nextRound().map(\.target.contact) == [scene.contacts[0]])
    #expect(Set(try scene.nextRound().map(\.target.contact)) == Set(scene.contacts.prefix(2)))
    #expect(scene.server.now == scene.raisedAt.advanced(byMilliseconds: 180_000))
    #expect(Set(try scene.nextRound().map(\.target.contact)) == Set(scene.contacts))
  }

  @Test func `is told at once where everybody said that they can't`() throws {
    let scene = try AskingScene(others: ["Ben", "Cleo"], tiers: [1, 1, 2])
    try scene.answer("cannot")
    #expect(try scene.deliver().isEmpty)
    try scene.answer("cannot", of: 1)
    #expect(try scene.deliver().map(\.target.contact) == [scene.contacts[2]])
  }

  @Test func `is told at once where nobody of the first can be reached`() throws {
    let scene = try AskingScene(channels: [], others: ["Ben"], tiers: [1, 2])
    #expect(scene.first.map(\.target.contact) == [scene.contacts[1]])
  }

  @Test func `is told where all messages to the first have failed`() throws {
    let scene = try AskingScene(others: ["Ben"], tiers: [1, 2], delivers: false)
    let policy = DeliveryPolicy()
    var told: [ContactID] = []
    for _ in 0..<policy.refusalLimit {
      for attempt in try scene.server.claim() {
        told.append(attempt.target.contact)
        try scene.server.complete(
          attempt, .status(attempt.target.contact == scene.contacts[0] ? 404 : 200, retryAfter: nil))
      }
      scene.server.advance(seconds: 30)
    }
    #expect(told.contains(scene.contacts[1]))
  }

  @Test func `begins with the lowest that has a responder`() throws {
    let scene = try AskingScene(others: ["Ben"], tiers: [4, 7])
    #expect(scene.first.map(\.target.contact) == [scene.contacts[0]])
  }

  @Test func `is not told of an answered alert`() throws {
    let scene = try AskingScene(others: ["Ben"], tiers: [1, 2])
    try scene.answer("responding")
    scene.server.advance(seconds: 19 * 60)
    #expect(try scene.deliver().isEmpty)
  }

  @Test func `a drill is told to all`() throws {
    let scene = try AskingScene(others: ["Ben"], tiers: [1, 2], isDrill: true)
    #expect(scene.first.count == 2)
  }

  @Test func `a responder of a later tier who is added meanwhile brings the next round forward`() throws {
    let scene = try AskingScene()
    _ = try scene.nextRound()
    let late = try scene.person.contact(
      AlertsDevice.identifier(), "Dora", phone: "+12025550166", "https://d.example/hook", tier: 2)
    try scene.person.sync([late])
    #expect(Set(try scene.deliver().map(\.target.contact)) == [scene.contacts[0], ContactID(late.entityID)])
  }

  @Test func `a responder of a later tier who is added when it is over is told`() throws {
    let scene = try AskingScene()
    while try scene.server.nextDue() != nil { _ = try scene.nextRound() }
    let late = try scene.person.contact(
      AlertsDevice.identifier(), "Dora", phone: "+12025550166", "https://d.example/hook", tier: 2)
    _ = try scene.server.signIn("+12025550123").sync([late])
    #expect(try scene.deliver().map(\.target.contact).contains(ContactID(late.entityID)))
  }

  @Test func `whoever no longer answers keeps nobody from being told`() throws {
    let scene = try AskingScene(others: ["Ben", "Cleo"], tiers: [1, 1, 2])
    try scene.answer("responding")
    _ = try scene.deliver()
    for minutes in [20, 5] as [Int64] {
      scene.server.advance(seconds: minutes * 60)
      _ = try scene.deliver()
    }
    // Ana has lapsed. Ben comes, and hands over: everybody is asked again at once.
    try scene.answer("responding", of: 1)
    let relief = try scene.deliver()
    #expect(
      try relief.map { try JSONDocument($0.body).root.required("data").string("text").hasPrefix("Ben is") } == [true])
    scene.server.advance(seconds: 60)
    try scene.answer("handing_over", of: 1)
    #expect(try scene.deliver().contains { $0.target.contact == scene.contacts[0] && $0.saysHelp })
    try scene.answer("cannot", of: 1)
    #expect(try scene.deliver().map(\.target.contact).contains(scene.contacts[2]) || scene.server.nextDue() != nil)
  }

  @Test func `who was coming and is removed no longer counts`() throws {
    let scene = try AskingScene(others: ["Ben"])
    try scene.answer("responding")
    _ = try scene.deliver()
    try scene.person.sync([
      scene.person.mutation(EntityID(scene.contacts[0]), scene.server.now, .removeContact)
    ])
    #expect(try scene.deliver().map(\.target.contact) == [scene.contacts[1]])
  }
}

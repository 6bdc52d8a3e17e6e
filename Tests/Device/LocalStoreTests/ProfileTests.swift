import LocalStore
import Model
import Testing
import Wire

/// What the person says of themselves, on the device.
@Suite struct `The profile of the device` {
  private let device = Device()
  private let store: LocalStore
  private let account = Session.of(1).accountID

  init() throws { store = try device.open() }

  private func put(_ name: String) throws { try store.putProfile(try Profile(name: name), at: device.now) }

  private func told(_ name: String) throws -> [Change] { [.profile(account, try Profile(name: name))] }

  private func shown() throws -> StoredProfile? { try store.profile() }

  private func profile(_ name: String, isPending: Bool) throws -> StoredProfile {
    StoredProfile(profile: try Profile(name: name), isPending: isPending)
  }

  @Test func `is durable and queued before the first sign-in, and sent after it`() throws {
    #expect(try shown() == nil)
    try put("Ana")
    store.close()
    let reopened = try device.open()
    #expect(try reopened.profile() == profile("Ana", isPending: true))
    try reopened.signIn(.of(1), at: device.now)
    let batch = try reopened.nextBatch(.all(.routine))
    #expect(batch.mutations.map(\.kind) == [.putProfile] && batch.mutations[0].body == "{\"name\":\"Ana\"}")
    try reopened.exchange(.routine, at: device.now)
    #expect(try reopened.profile() == profile("Ana", isPending: false))
  }

  @Test func `shows what is queued over the server's, and the server's after a discard`() throws {
    try store.signIn(.of(1), at: device.now)
    try store.exchange(.routine, changes: told("Server"), at: device.now)
    #expect(try shown() == profile("Server", isPending: false))
    try put("Mine")
    var pull = try store.nextBatch(.all(.routine))
    pull.mutations = []
    _ = try store.apply(.accepting(pull, changes: try told("Other"), cursor: "c2"), to: pull, at: device.now)
    #expect(try shown() == profile("Mine", isPending: true))
    let item = try #require(try store.queue().first)
    #expect(try UnsentCounts(store.queue()).text == "1 name change")
    _ = try store.discard(item.id, at: device.now)
    #expect(try shown() == profile("Other", isPending: false))
  }

  @Test func `stays as another device changed it, where the answer to an older change was lost`() throws {
    try store.signIn(.of(1), at: device.now)
    try put("First")
    let batch = try store.nextBatch(.all(.routine))
    var repeated = SyncResponse.accepting(batch, changes: try told("Later"), cursor: "c2")
    repeated.results[0].status = .duplicate
    _ = try store.apply(repeated, to: batch, at: device.now)
    #expect(try shown() == profile("Later", isPending: false))
    #expect(try store.queue().isEmpty)
  }

  @Test func `stays queued and shown where the server does not know the kind`() throws {
    try store.signIn(.of(1), at: device.now)
    try put("Ana")
    let batch = try store.nextBatch(.all(.routine))
    _ = try store.apply(.refusing(batch, code: "unknown_kind"), to: batch, at: device.now)
    #expect(try shown() == profile("Ana", isPending: true))
    #expect(try store.queue().map(\.parked?.code) == ["unknown_kind"])
  }

  @Test func `is queued again for a restored server that has lost it`() throws {
    try store.signIn(.of(1), at: device.now)
    try put("Ana")
    try store.exchange(.routine, at: device.now)
    let batch = try store.nextBatch(.all(.routine))
    _ = try store.apply(.accepting(batch, epoch: "two", cursor: "d1"), to: batch, at: device.now)
    let again = try store.nextBatch(.all(.routine))
    _ = try store.apply(.accepting(again, epoch: "two", cursor: "d2"), to: again, at: device.now)
    #expect(try store.queue().map(\.kind) == ["profile.put"])
    try store.exchange(.routine, epoch: "two", cursor: "d2", at: device.now)
    #expect(try shown() == profile("Ana", isPending: false))
  }

  @Test func `leaves the device with the account`() throws {
    try store.signIn(.of(1), at: device.now)
    try store.exchange(.routine, changes: told("Ana"), at: device.now)
    try store.signOut(discardPending: true)
    #expect(try shown() == nil)
  }
}

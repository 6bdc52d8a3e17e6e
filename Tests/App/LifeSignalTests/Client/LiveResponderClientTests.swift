import Foundation
import LifeSignalFeatures
import LocalStore
import ProgramTesting
import SystemKit
import Testing
import Wire

@testable import DeviceCore

@Suite(.timeLimit(.minutes(5))) struct `The live responder client` {
  private let device: TestDevice
  private let store: LocalStore
  private let client: ResponderClient

  init() throws {
    device = try TestDevice()
    try device.signInLocally(endpoint: "http://127.0.0.1:1")
    store = try device.openStore()
    client = .live(try LifeSignalClient.open(home: device.home))
  }

  private static let start = Timestamp(milliseconds: 1_795_262_400_000)
  private let id = InboxID(versionSevenAt: start, random: (1, 1))

  private func alert(_ change: (inout InboxAlert) -> Void = { _ in }, endedAt: Timestamp? = nil) -> InboxAlert {
    var alert = InboxAlert(
      id: id, alertID: AlertID(versionSevenAt: Self.start, random: (2, 2)), phone: "+12025550143", name: "Ben",
      startedAt: Self.start, endedAt: endedAt, isDrill: false)
    change(&alert)
    return alert
  }

  /// Has the server tell of the alert, and take what waits. Wakes who watches the home, as the worker's next stamp does.
  private func tell(_ alert: InboxAlert?) throws {
    let batch = try store.nextBatch(
      BatchSelection(lane: .routine, maximumItems: 100, maximumBytes: 100_000))
    let response = SyncResponse(
      results: batch.mutations.map { ItemResult(id: $0.id.description, status: .applied, appliedAt: Self.start) },
      changes: [.inbox(id, alert)], cursor: "c1", hasMore: false, epoch: "e1", serverTime: Self.start)
    _ = try store.apply(response, to: batch, at: DeviceClock.now())
    HomeDirectory(path: device.home).poke()
  }

  @Test func `shows an alert with all that the server told`() async throws {
    #expect(try await client.list().isEmpty)
    let place = InboxAlert.Place(
      location: try Location(latitude: 46.5, longitude: 7.9), accuracyMeters: 20, at: Self.start)
    try tell(
      alert {
        $0.message = "fell"
        $0.place = place
        $0.batteryPercent = 35
        $0.noContactSince = Self.start.advanced(byMilliseconds: 7000)
        $0.askedAgain = 2
        $0.comers = ["Ana"]
        $0.response = InboxAlert.Response(InboxAnswer(.responding, text: "soon"), at: Self.start)
        $0.isAskedToConfirm = true
        $0.pageURL = "https://example.org/a/b"
      })
    let date = Self.start.date
    #expect(
      try await client.list() == [
        ReceivedAlert(
          id: id, name: "Ben", phone: "+12025550143", startTime: date, message: "fell",
          place: .init(location: place.location, accuracyMeters: 20, time: date), batteryPercent: 35,
          noContactSince: date.addingTimeInterval(7), askedAgain: 2, comers: ["Ana"],
          answer: .init(.responding, text: "soon", time: date), isAskedToConfirm: true,
          pageURL: "https://example.org/a/b")
      ])
  }

  @Test func `saves an answer without a network, and it no longer waits when the server has it`() async throws {
    try tell(alert())
    try await client.respond(to: id, with: .onMyWay, text: "by\ncar")
    let waiting = try #require(try await client.list().first)
    #expect(waiting.answer == ReceivedAlert.Answer(.onMyWay, text: "by car") && waiting.isAnswerWaiting)
    #expect(try store.queue().map(\.kind) == ["inbox.answer"])
    try tell(alert { $0.response = InboxAlert.Response(InboxAnswer(.onMyWay, text: "by car"), at: Self.start) })
    let sent = try #require(try await client.list().first)
    #expect(sent.answer?.time == Self.start.date && !sent.isAnswerWaiting)
  }

  @Test func `notes once that an alert was opened`() async throws {
    try tell(alert())
    _ = try await client.list()
    #expect(try store.queue().isEmpty, "listing is not seeing")
    try await client.noteSeen(id)
    try await client.noteSeen(id)
    #expect(try store.queue().map(\.kind) == ["inbox.seen"])
  }

  private func answer() async throws { try await client.respond(to: id, with: .there) }

  @Test func `says why an alert cannot be answered`() async throws {
    let unknown = await #expect(throws: LifeSignalError.self) { try await answer() }
    #expect(unknown?.code == .notFound)
    try tell(alert(endedAt: Self.start))
    let ended = await #expect(throws: LifeSignalError.self) { try await answer() }
    #expect(ended?.code == .noActiveAlert)
  }

  @Test func `follows the inbox: the server's changes, and answers and discards of this device`() async throws {
    var lists = client.alerts().makeAsyncIterator()
    #expect(await lists.next() == [])
    try tell(alert())
    #expect(await lists.next()?.map(\.person) == ["Ben"])
    // Changes no inbox, and is not told.
    _ = try store.putContact(
      nil, ContactDetails(name: "Ana", phone: "+12025550143", isResponder: true, isDependent: false, channels: []),
      at: DeviceClock.now())
    try await client.respond(to: id, with: .there, text: nil)
    #expect(await lists.next()?.first?.isAnswerWaiting == true)
    let item = try #require(try store.queue().first { $0.kind == "inbox.answer" })
    _ = try store.discard(item.id, at: DeviceClock.now())
    #expect(await lists.next()?.first?.answer == nil)
    try tell(nil)
    #expect(await lists.next() == [])
  }

  @Test func `has another revision for each change of the inbox, and for no other`() async throws {
    func revision() throws -> String? { try store.revision()?.inbox }
    let empty = try revision()
    try tell(alert())
    let told = try revision()
    _ = try store.putContact(
      nil, ContactDetails(name: "Ana", phone: "+12025550143", isResponder: true, isDependent: false, channels: []),
      at: DeviceClock.now())
    #expect(try told == revision() && told != empty, "a contact is no alert of others")
    try await client.respond(to: id, with: .there, text: nil)
    #expect(try revision() != told)
  }
}

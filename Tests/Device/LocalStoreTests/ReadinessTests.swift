import LocalStore
import Model
import Testing
import Wire

/// Whether an alert would reach anybody, as a function of what the device knows.
@Suite struct `An alert would reach somebody` {
  private static let hook = "https://example.org/hook"
  private let now = Timestamp(milliseconds: 1_790_000_000_000)

  private func contact(
    _ urls: [String] = [hook], tested: [String: Int64] = [:], failed: [String: Int64] = [:], isResponder: Bool = true,
    isOnServer: Bool = true, serverHas: [String]? = nil
  ) throws -> StoredContact {
    func details(_ urls: [String]) throws -> ContactDetails {
      try ContactDetails(
        name: "Ana", phone: "+12025550123", isResponder: isResponder, isDependent: false,
        channels: urls.map { try Channel($0) })
    }
    let tests = tested.map { url, minutes in
      TestedChannel(url: url, at: now.advanced(byMilliseconds: -minutes * 60_000))
    }
    let failures = failed.map { url, minutes in
      FailedChannel(url: url, at: now.advanced(byMilliseconds: -minutes * 60_000), reason: "the channel answered 404")
    }
    let contact = Contact(id: ContactID(versionSevenAt: now, random: (1, 1)), details: try details(urls))
    return StoredContact(
      contact: contact, webhookSecret: nil, isPending: false, tested: tests, failed: failures,
      onServer: isOnServer ? try details(serverHas ?? urls) : nil)
  }

  private func readiness(
    _ contacts: StoredContact..., kinds: Set<String>? = ["webhook", "ntfy"], isSignedIn: Bool = true,
    hasServer: Bool = true, appUsers: Set<ContactID> = []
  ) -> Readiness {
    Readiness(
      contacts: contacts, channels: ServerChannels(kinds: kinds), isSignedIn: isSignedIn, hasServer: hasServer,
      appUsers: appUsers)
  }

  @Test func `if one responder answered a drill through a channel that they have`() throws {
    let ready = try readiness(contact(tested: [Self.hook: 2 * 24 * 60]), contact())
    #expect(
      ready
        == Readiness(
          responders: 2, tested: 1, lastDrillAt: now.advanced(byMilliseconds: -172_800_000), obstacle: nil))
    #expect(ready.line(now: now) == "READY: 2 responders, 1 of them tested, last 2 days ago")
    #expect(
      try readiness(contact(tested: [Self.hook: 0])).line(now: now) == "READY: 1 responder, tested just now")
    #expect(
      try readiness(contact(tested: [Self.hook: 61])).line(now: now) == "READY: 1 responder, tested 1 hour ago")
  }

  @Test func `by the app alone, where they use LifeSignal and no channel reaches them`() throws {
    let pigeon = "https://example.org/pigeon"
    for ana in [try contact([]), try contact([pigeon])] {
      let appUsers: Set = [ana.contact.id]
      let byApp = readiness(ana, kinds: ["ntfy"], appUsers: appUsers)
      #expect(byApp.obstacle == .onlyByApp && byApp.obstacle?.isCertain == false)
      #expect(byApp.line(now: now) == "NOT READY: your responders are told by the app alone")
      #expect(readiness(ana, kinds: ["ntfy"]).obstacle?.isCertain == false, "they may use it unknown to this device")
    }
    let tested = try contact(tested: [Self.hook: 5])
    #expect(readiness(tested, appUsers: [tested.contact.id]).obstacle == nil)
  }

  @Test func `unless something is missing, and the reason is what is nearest to being cured`() throws {
    let tested = try contact(tested: [Self.hook: 5])
    #expect(readiness(tested, hasServer: false).obstacle == .noServer)
    #expect(readiness(tested, isSignedIn: false).obstacle == .notSignedIn)
    #expect(readiness().obstacle == .noResponders)
    #expect(try readiness(contact(tested: [Self.hook: 5], isResponder: false)).obstacle == .noResponders)
    #expect(try readiness(contact([])).obstacle == .noChannel)
    #expect(try readiness(contact(isOnServer: false)).obstacle == .notOnServer)
    #expect(try readiness(contact(["sms:+12025550123"])).obstacle == .unsupported)
    #expect(try readiness(contact()).obstacle == .untested)
    #expect(try readiness(contact([]), contact(), contact(isOnServer: false)).obstacle == .untested)
  }

  @Test func `not by a test of a URL that the contact no longer has, here or on the server`() throws {
    let old = "https://example.org/old"
    #expect(try readiness(contact(tested: [old: 5])).obstacle == .untested)
    #expect(try readiness(contact(tested: [Self.hook: 5], serverHas: [old])).obstacle == .untested)
    let both = try readiness(contact([old, Self.hook], tested: [Self.hook: 5]))
    #expect(both.isReady && both.tested == 1)
  }

  @Test func `by a tested channel only while the server can serve it`() throws {
    let sms = "sms:+12025550123"
    #expect(try readiness(contact([sms], tested: [sms: 5])).obstacle == .unsupported)
    #expect(try readiness(contact([sms], tested: [sms: 5]), kinds: ["sms"]).isReady)
    #expect(try readiness(contact([sms], tested: [sms: 5]), kinds: nil).isReady, "an old server does not say")
  }

  @Test func `not by a channel over which a message failed after its test`() throws {
    let failed = try contact(tested: [Self.hook: 5], failed: [Self.hook: 4])
    let alone = readiness(failed)
    #expect(alone.obstacle == .failed && alone.tested == 0 && !alone.isReady)
    #expect(alone.line(now: now) == "NOT READY: nobody would be told (the last message to Ana failed)")
    let two = readiness(failed, failed)
    #expect(two.line(now: now) == "NOT READY: nobody would be told (your responders' channels failed)")
    #expect(try readiness(contact(failed: [Self.hook: 4])).obstacle == .failed, "it was never tested")
    #expect(try readiness(contact(tested: [Self.hook: 4], failed: [Self.hook: 5])).isReady, "tested since")
  }

  @Test func `by another channel or responder that was tested and has not failed`() throws {
    let other = "ntfy://ntfy.sh/ana"
    let channels = [Self.hook, other]
    #expect(try readiness(contact(channels, tested: [other: 9], failed: [Self.hook: 4])).isReady)
    #expect(try readiness(contact(channels, failed: [Self.hook: 4])).obstacle == .untested)
    #expect(try readiness(contact(channels, failed: [Self.hook: 4, other: 4])).obstacle == .failed)
    let ready = try readiness(contact(tested: [Self.hook: 5], failed: [Self.hook: 4]), contact(tested: [Self.hook: 5]))
    #expect(ready.isReady && ready.responders == 2 && ready.tested == 1)
  }

  @Test func `which is said in one line that fits behind the mark of the doctor, whatever is missing`() {
    for obstacle in Readiness.Obstacle.allCases {
      let line = Readiness(responders: 100, tested: 0, obstacle: obstacle).line(now: now)
      let start = obstacle == .onlyByApp ? "NOT READY: your" : "NOT READY: nobody would be told ("
      #expect(line.hasPrefix(start) && line.count <= 72, "\(line)")
    }
    let longest = Readiness(
      responders: 100, tested: 99, lastDrillAt: now.advanced(byMilliseconds: -100_000 * 60_000), obstacle: nil)
    #expect(longest.line(now: now).count <= 80)
  }
}

/// What the store keeps of it.
@Suite struct `The store's readiness` {
  private let device = Device()
  private let store: LocalStore

  init() throws {
    store = try device.open()
    try store.signIn(.of(1), at: device.now)
    var configuration = Configuration()
    configuration.endpoint = "https://server.example"
    try configuration.save(device.home)
  }

  private func exchange(_ changes: [Change] = [], channels: [String]? = ["webhook"], cursor: String) throws {
    let batch = try store.nextBatch(.all(.routine))
    var answer = SyncResponse.accepting(batch, changes: changes, cursor: cursor)
    answer.channels = channels
    _ = try store.apply(answer, to: batch, at: device.now)
  }

  private func tested(_ contact: Contact, _ urls: String...) -> Change {
    .contact(
      contact.id,
      ContactRecord(
        details: contact.details, webhookSecret: "whsec_1",
        tested: urls.map { TestedChannel(url: $0, at: SyncResponse.serverTime) }))
  }

  @Test func `follows the server's word, and an edit here`() throws {
    let ana = try store.putContact(nil, .named("Ana"), at: device.now)
    #expect(try store.readiness().obstacle == .notOnServer)
    try exchange([tested(ana)], cursor: "c1")
    #expect(try store.readiness().obstacle == .untested)
    try exchange([tested(ana, "https://example.org/hook", "https://example.org/removed")], cursor: "c2")
    var expected = Readiness(responders: 1, tested: 1, lastDrillAt: SyncResponse.serverTime, obstacle: nil)
    // The server serves webhooks alone.
    expected.unsupportedNames = ["Ana"]
    #expect(try store.readiness() == expected)
    let other = try ContactDetails(
      name: "Ana", phone: "+12025550123", isResponder: true, isDependent: false,
      channels: [Channel("https://example.org/new")])
    _ = try store.putContact(ana.id, other, at: device.now)
    #expect(try store.contacts().map(\.tested) == [[]])
    #expect(try store.readiness().obstacle == .untested)
  }

  @Test func `follows the server's word of a failure, until an edit or another word`() throws {
    let ana = try store.putContact(nil, .named("Ana"), at: device.now)
    let failed = FailedChannel(
      url: "https://example.org/hook", at: SyncResponse.serverTime.advanced(byMilliseconds: 1), reason: "gone")
    func record(_ failed: [FailedChannel]) -> Change {
      let test = TestedChannel(url: "https://example.org/hook", at: SyncResponse.serverTime)
      return .contact(
        ana.id, ContactRecord(details: ana.details, webhookSecret: "whsec_1", tested: [test], failed: failed))
    }
    try exchange(
      [record([failed, FailedChannel(url: "https://example.org/x", at: failed.at, reason: "")])], cursor: "c1")
    #expect(try store.contacts().map(\.failed) == [[failed]])
    #expect(try store.readiness().obstacle == .failed)
    try exchange([record([])], cursor: "c2")
    #expect(try store.contacts().map(\.failed) == [[]] && store.readiness().isReady)
    try exchange([record([failed])], cursor: "c3")
    let edited = try ContactDetails(
      name: "Ana", phone: "+12025550123", isResponder: true, isDependent: false,
      channels: [Channel("https://example.org/new")])
    _ = try store.putContact(ana.id, edited, at: device.now)
    #expect(try store.contacts().map(\.failed) == [[]])
  }

  @Test func `keeps the newest kinds of channels, and forgets them with an old server and with the account`() throws {
    #expect(try store.serverChannels().kinds == nil)
    try exchange(channels: ["webhook", "pigeon"], cursor: "c1")
    #expect(try store.serverChannels().kinds == ["webhook", "pigeon"])
    try exchange(channels: ["ntfy"], cursor: "c2")
    #expect(try store.serverChannels().kinds == ["ntfy"])
    try exchange(channels: nil, cursor: "c3")
    #expect(try store.serverChannels().kinds == nil)
    try exchange(channels: ["ntfy"], cursor: "c4")
    try store.signOut(discardPending: true)
    #expect(try store.serverChannels().kinds == nil)
  }

  @Test func `knows who would not be told of an alert that the server cannot send over their channels`() throws {
    let ana = try store.putContact(nil, .named("Ana"), at: device.now)
    try exchange([tested(ana)], channels: ["sms"], cursor: "c1")
    _ = try store.activateAlert(AlertDraft(), at: device.now)
    #expect(try store.status().nobodyIsTold == .unsupported)
    try exchange(channels: ["sms", "ntfy"], cursor: "c2")
    #expect(try store.status().nobodyIsTold == nil)
  }
}

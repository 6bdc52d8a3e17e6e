import DeviceCore
import Model
import Wire

@testable import CommandLineTool
@testable import LocalStore

extension FuzzTarget {
  /// A sequence of calls on a real store: alerts, contacts, sign-in, exchanges with any server, and a person's changes to the
  /// queue. One byte chooses a step, and more its details. An alert is never lost, whatever a server answers; a rejected answer
  /// leaves the store unchanged; and everything is readable at the end.
  static let device = FuzzTarget("device", isSlow: true) {
    deviceSeeds
  } run: { bytes in
    let scratch = ScratchHome.shared
    scratch.empty()
    var device = FuzzedDevice(scratch.home, FuzzInput(bytes))
    device.run()
  }
}

private var deviceSeeds: [[UInt8]] {
  [
    // Signs in, adds a contact, raises an alert, exchanges both lanes, ends it, exchanges again.
    [6, 0, 2, 3, 65, 110, 97, 0, 1, 4, 72, 101, 108, 112, 0, 4, 0, 0, 0, 4, 1, 0, 0, 1, 4, 0, 0, 0],
    // A rejection, then the queue by hand.
    [6, 0, 0, 0, 0, 4, 0, 2, 2, 2, 8, 0, 9, 0, 4, 0, 0, 0],
    [6, 0, 3, 0, 4, 0, 1, 4, 0, 1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
    [10] + Sample.syncResponses[0].json(), [6, 1, 0, 0, 5, 0, 7, 4, 0, 0, 3, 0, 0, 1, 0, 0, 2, 0, 1, 0],
  ]
}

/// Plays an input on a store, and checks the promises.
private struct FuzzedDevice {
  private let home: HomeDirectory
  private var input: FuzzInput
  private var store: LocalStore
  private var time: Int64 = 0
  /// Alerts raised here and not discarded by a person.
  private var raised: [AlertID] = []
  private var account: AccountID?

  init(_ home: HomeDirectory, _ input: FuzzInput) {
    self.home = home
    self.input = input
    store = Self.open(home, Moment(wall: Sample.now, monotonicMilliseconds: 0))
  }

  private static func open(_ home: HomeDirectory, _ moment: Moment) -> LocalStore {
    do throws(LocalStoreError) {
      return try LocalStore.open(home, at: moment)
    } catch {
      fatalError("does not hold: a whole store opens: \(error.message)")
    }
  }

  /// Each call is a second later.
  private var now: Moment {
    Moment(wall: Sample.now.advanced(byMilliseconds: time * 1000), monotonicMilliseconds: time * 1000)
  }

  mutating func run() {
    var steps = 0
    while !input.isAtEnd, steps < 16 {
      steps += 1
      time += 1
      do {
        try step()
      } catch let error as LocalStoreError {
        let isUse = [LocalStoreError.Code.notFound, .anotherAccount].contains(error.code)
        require(isUse, "the store does not fail: \(error.message)")
      } catch {
        require(false, "the store throws its own errors alone")
      }
    }
    store = Self.open(home, now)
    check()
    store.close()
  }

  private mutating func step() throws {
    switch input.number(below: 11) {
    case 0:
      let message = try? AlertMessage.validated(input.text())
      let draft = AlertDraft(message: message, isDrill: input.number(below: 4) == 3)
      let activation = try store.activateAlert(draft, at: now)
      if !activation.alreadyActive { raised.append(activation.alert.id) }
    case 1: _ = try store.deactivateAlerts(at: now)
    case 2:
      guard let details = Sample.contact(input.text()) ?? Sample.contact() else { return }
      let contacts = try store.contacts()
      let id = input.flag() && !contacts.isEmpty ? input.one(of: contacts).contact.id : nil
      _ = try store.putContact(id, details, at: now)
    case 3:
      let contacts = try store.contacts()
      if !contacts.isEmpty { _ = try store.removeContact(input.one(of: contacts).contact.id, at: now) }
    case 4: try exchange { input, batch in response(&input, to: batch) }
    case 5:
      let batch = try store.nextBatch(selection())
      try store.recordFailure(
        of: batch, nextAttemptAt: Timestamp(milliseconds: input.integer()), error: SyncFailure(.offline, "no"), at: now)
    case 6: try signIn()
    case 7:
      store.close()
      store = Self.open(home, now)
    case 8:
      let queue = try store.queue()
      if !queue.isEmpty { _ = try store.retry(input.one(of: queue).id, at: now) }
    case 9: try discard()
    default:
      // The rest of the input is the answer itself.
      try exchange { input, _ in try? SyncResponse(jsonBytes: input.remaining()) }
    }
  }

  private mutating func signIn() throws {
    let session = Session(
      accountID: Sample.identifier(UInt64(input.number(below: 3)) + 900),
      phone: input.flag() ? "+12025550123" : "+12025550199",
      accessToken: "a", refreshToken: "r", accessExpiresAt: Timestamp(milliseconds: input.integer()), alertKey: "k")
    let before = try store.history(limit: 1000, before: nil).entries.count
    try store.signIn(session, at: now)
    // The device is another person's now: sent rows of the first are gone.
    if try store.history(limit: 1000, before: nil).entries.count < before { raised = [] }
  }

  private mutating func discard() throws {
    let queue = try store.queue()
    guard !queue.isEmpty else { return }
    let dropped = try store.discard(input.one(of: queue).id, at: now)
    raised.removeAll { alert in dropped.contains { $0.entityID == EntityID(alert) } }
  }

  private mutating func selection() -> BatchSelection {
    BatchSelection(
      lane: input.flag() ? .routine : .emergency, maximumItems: 500, maximumBytes: 512 << 10,
      isAlertKeyOnly: input.number(below: 8) == 7)
  }

  private mutating func exchange(_ answer: (inout FuzzInput, Batch) -> SyncResponse?) throws {
    let batch = try store.nextBatch(selection())
    guard let response = answer(&input, batch) else { return }
    let before = try snapshot()
    do {
      _ = try store.apply(response, to: batch, at: now)
    } catch {
      require(try snapshot() == before, "an answer that is refused leaves the store as it was")
      throw error
    }
  }

  /// What a rejected answer must not change.
  private func snapshot() throws -> [AnyHashable] {
    [try store.queue(), try store.contacts(), try store.syncState(), try store.history(limit: 1000, before: nil)]
  }

  /// Checks every promise on a store that was closed and opened again.
  private func check() {
    do throws(LocalStoreError) {
      let status = try store.status()
      let report = AlertReport(
        status: status, silentResponders: ["Ana"], time: LocalTime(now: now.wall),
        console: Console(isJSON: false, noColor: true, environment: Environment()))
      require(!report.lines.isEmpty, "there is something to say")
      let queue = try store.queue()
      let entries = try store.history(limit: 1000, before: nil).entries
      _ = try store.contacts()
      _ = try store.syncState()
      for lane in Lane.allCases {
        _ = try store.nextBatch(BatchSelection(lane: lane, maximumItems: 500, maximumBytes: 512 << 10))
      }
      require(try store.check().isEmpty, "the file is whole")
      for alert in raised {
        guard let entry = entries.first(where: { $0.alert.id == alert }) else {
          return require(false, "an alert that was raised is in the history")
        }
        let isQueued = queue.contains {
          $0.entityID == EntityID(alert) && $0.kind == Mutation.Kind.activateAlert.rawValue
        }
        require(isQueued || entry.stage == .accepted, "an alert that the server has not taken is in the queue")
      }
    } catch {
      require(false, "a whole store can be read: \(error.message)")
    }
  }
}

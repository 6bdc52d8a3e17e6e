import LocalStore
import Model
import Testing
import Wire

/// How long ago alerts were raised, by the monotonic clock.
@Suite struct `The age of an alert` {
  let device = Device()
  let store: LocalStore
  private let draft = AlertDraft(message: nil, location: nil, isDrill: false, utcOffsetMinutes: nil)

  init() throws {
    store = try device.open()
  }

  private func moment(wall: Int64, monotonic: Int64, boot: String?) -> Moment {
    Moment(wall: Timestamp(milliseconds: wall), monotonicMilliseconds: monotonic, boot: boot)
  }

  private func ages(at moment: Moment) throws -> [Int64] {
    try store.ages(of: store.nextBatch(.all(.emergency)), at: moment).map(\.milliseconds)
  }

  @Test func `is known after the wall clock was set`() throws {
    _ = try store.activateAlert(draft, at: moment(wall: 360_000, monotonic: 5000, boot: "a"))
    #expect(try ages(at: moment(wall: 1_790_000_000_000, monotonic: 65_000, boot: "a")) == [60_000])
  }

  @Test func `is unknown after another boot, or if the machine has no boot ID`() throws {
    _ = try store.activateAlert(draft, at: moment(wall: 360_000, monotonic: 5000, boot: "a"))
    #expect(try ages(at: moment(wall: 1_790_000_000_000, monotonic: 65_000, boot: "b")).isEmpty)
    #expect(try ages(at: moment(wall: 1_790_000_000_000, monotonic: 65_000, boot: nil)).isEmpty)
  }

  @Test func `is known for items that were queued since the boot, and not for earlier ones`() throws {
    _ = try store.activateAlert(draft, at: moment(wall: 360_000, monotonic: 5000, boot: "a"))
    _ = try store.deactivateAlerts(at: moment(wall: 400_000, monotonic: 7000, boot: "b"))
    #expect(try ages(at: moment(wall: 500_000, monotonic: 8000, boot: "b")) == [1000])
  }

  @Test(arguments: [("created_monotonic", Int64.min), ("occurred_at", Int64.min)])
  func `is unknown where damage left an impossible time`(column: String, value: Int64) throws {
    _ = try store.activateAlert(draft, at: moment(wall: 360_000, monotonic: 5000, boot: "a"))
    try device.withConnection { try $0.execute("UPDATE pending_mutations SET \(column) = \(value)") }
    let known = try? ages(at: moment(wall: 1_790_000_000_000, monotonic: 65_000, boot: "a"))
    #expect(known ?? [] == [])
  }
}

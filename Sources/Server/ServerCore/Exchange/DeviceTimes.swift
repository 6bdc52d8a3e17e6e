import Model
import Wire

/// Converts times of a device, whose clock may be wrong, to the server's clock.
struct DeviceTimes {
  let now: Timestamp
  let sentAt: Timestamp?
  let ages: [MutationID: Int64]

  /// With a smaller difference, the device's time is used.
  private static let toleranceMilliseconds: Int64 = 60_000
  /// The maximum age of an item on a device: five years.
  private static let longestMilliseconds: Int64 = 5 * 366 * 86_400_000
  /// No device has an earlier item: 2025-01-01T00:00:00Z.
  private static let earliest = Timestamp(milliseconds: 1_735_689_600_000)

  init(_ request: SyncRequest, now: Timestamp) {
    self.now = now
    sentAt = request.sentAt
    ages = request.ages
  }

  /// `time` of the mutation by the server's clock; nil if the device's time is right.
  func corrected(_ time: Timestamp, of id: MutationID) -> Timestamp? {
    guard let happened = happened(time, id) else { return nil }
    return abs(happened.milliseconds(since: time)) > Self.toleranceMilliseconds ? happened : nil
  }

  /// `time` of the mutation by the server's clock, however small the difference; the device's time where nothing else is known.
  func serverTime(of time: Timestamp, _ id: MutationID) -> Timestamp { happened(time, id) ?? time }

  private func happened(_ time: Timestamp, _ id: MutationID) -> Timestamp? {
    if let age = ages[id], isPossible(age) { return now.advanced(byMilliseconds: -age) }
    if let sentAt {
      let age = sentAt.milliseconds(since: time)
      // The device's clock was set in between, so the age is unknown.
      return isPossible(age) ? now.advanced(byMilliseconds: -age) : now
    }
    return time > now || time < Self.earliest ? now : nil
  }

  private func isPossible(_ age: Int64) -> Bool { (0...Self.longestMilliseconds).contains(age) }
}

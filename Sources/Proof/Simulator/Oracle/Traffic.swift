/// Compares a device's writes and requests with their limits (I8).
///
/// A request has a cause: a person did something, the account changed (each change lets a device fetch, and wakes waiting
/// items), or time passed (supervision every 25 s, retries within their budgets, reopened streams). So the limit grows with
/// time and with events.
struct Traffic {
  static let windowMilliseconds: Int64 = 600_000
  private static let bucketMilliseconds: Int64 = 60_000
  /// In ten minutes: 150 retries of the emergency lane (a burst of 30, then one in 5 s), 20 of the routine one, 330 fetches
  /// requested by the server (30, then one in 2 s), 24 supervising pulls, and some streams and refreshes.
  static let requestsPerWindow = 650
  static let requestsPerEvent = 5
  /// The most that one commit adds before a checkpoint: more than any transaction of a device.
  private static let pagesOfOneCommit = 400
  private static let frameBytes = 4096 + 24
  private static let headerBytes = 32

  private let checkpointPages: Int
  /// How many exchanges take the place of one, where they carry fewer items than in earnest.
  var exchangesForOne = 1
  private var requests: [Int: Buckets] = [:]
  private var events = Buckets()

  init(checkpointPages: Int) {
    self.checkpointPages = checkpointPages
  }

  private func logBytesLimit(_ checkpointPages: Int?) -> Int {
    Self.headerBytes + ((checkpointPages ?? self.checkpointPages) + Self.pagesOfOneCommit) * Self.frameBytes
  }

  /// Counts an event that permits requests.
  mutating func happened(at now: Int64) { _ = events.count(now / Self.bucketMilliseconds) }

  mutating func requested(by device: Int, now: Int64, _ findings: inout Findings) {
    let bucket = now / Self.bucketMilliseconds
    let count = requests[device, default: Buckets()].count(bucket)
    guard count > Self.requestsPerWindow else { return }
    let limit = (Self.requestsPerWindow + Self.requestsPerEvent * events.total(bucket)) * exchangesForOne
    guard count > limit else { return }
    findings.add(
      .bounded, "requests of \(device)", "device \(device) made \(count) requests in ten minutes: more than \(limit)",
      at: now)
  }

  func logSize(
    _ bytes: Int, checkpointPages: Int? = nil, of device: Int, now: Int64, _ findings: inout Findings
  ) {
    let limit = logBytesLimit(checkpointPages)
    guard bytes > limit else { return }
    findings.add(
      .bounded, "log of \(device)", "the log of device \(device) has \(bytes) bytes: more than \(limit)", at: now)
  }

  /// A count over the last ten minutes, in buckets of a minute.
  private struct Buckets {
    private var counts = [Int](repeating: 0, count: Int(windowMilliseconds / bucketMilliseconds))
    private var newest: Int64 = 0

    mutating func count(_ bucket: Int64) -> Int {
      advance(to: bucket)
      counts[Int(newest) % counts.count] += 1
      return counts.reduce(0, +)
    }

    func total(_ bucket: Int64) -> Int {
      var later = self
      later.advance(to: bucket)
      return later.counts.reduce(0, +)
    }

    private mutating func advance(to bucket: Int64) {
      guard bucket > newest else { return }
      for passed in (newest + 1)...max(newest + 1, min(bucket, newest + Int64(counts.count))) {
        counts[Int(passed) % counts.count] = 0
      }
      // After ten minutes of silence every bucket is empty.
      if bucket - newest > Int64(counts.count) { counts = counts.map { _ in 0 } }
      newest = bucket
    }
  }
}

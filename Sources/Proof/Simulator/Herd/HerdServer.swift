/// The server as a load model: one queue, a fixed time per request, and no room for requests that would wait too long.
struct HerdServer {
  private let serviceMilliseconds: Double
  private let maximumWaitMilliseconds: Double
  private var busyUntil = 0.0
  private(set) var isAway = false
  /// The number of the server's run: a restart loses the requests in progress.
  private(set) var run = 0

  init(_ settings: HerdSettings) {
    serviceMilliseconds = 1000 / settings.capacityPerSecond
    maximumWaitMilliseconds = Double(settings.maximumWaitMilliseconds)
  }

  /// When a request that arrives now will be done; nil if there is no room for it.
  mutating func take(at now: Int64) -> Int64? {
    let start = max(busyUntil, Double(now))
    guard start - Double(now) <= maximumWaitMilliseconds else { return nil }
    busyUntil = start + serviceMilliseconds
    return Int64(busyUntil.rounded(.up))
  }

  mutating func goAway() {
    isAway = true
    run += 1
  }

  mutating func comeBack(at now: Int64) {
    isAway = false
    busyUntil = Double(now)
  }
}

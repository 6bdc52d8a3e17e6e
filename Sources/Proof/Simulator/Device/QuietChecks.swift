import LocalStore
import SyncEngine
import Wire

/// The event streams of one engine, as seen from outside: how rare heartbeats it asked for, and which of them the path did not carry.
struct QuietChecks {
  private(set) var isOpen = false
  /// What the last stream asked for.
  private(set) var askedSeconds = 0
  private var lastHeardAt: Int64 = 0
  /// When a stream that asked for so many seconds was found dead.
  private var diedAt: [Int: Int64] = [:]

  /// How long silence is tolerated beyond the time between heartbeats, and how much later a process that moves notices it.
  private static let graceMilliseconds: Int64 = 50_000
  private static let latenessMilliseconds: Int64 = 10_000
  /// For so long at least nothing is tried again that a path did not carry.
  private static let shortestRest: Int64 = 3_600_000

  mutating func pathChanged() { diedAt = [:] }

  mutating func hears(_ request: TransportRequest, at now: Int64) {
    guard request.isStream else { return }
    isOpen = true
    lastHeardAt = now
  }

  /// Of a stream that is not heard any more.
  mutating func cancels(_ transfer: Transfer, at now: Int64) {
    guard transfer.request.isStream else { return }
    isOpen = false
    let silence = now - lastHeardAt - Int64(askedSeconds) * 1000
    guard
      transfer.quiet.isForgotten, askedSeconds > StreamEvent.heartbeatSeconds,
      (Self.graceMilliseconds...Self.graceMilliseconds + Self.latenessMilliseconds).contains(silence)
    else { return }
    diedAt[askedSeconds] = now
  }

  /// - Returns: when a stream that asked for as much as this one died on this path, unless that is long ago.
  fileprivate mutating func opens(_ request: TransportRequest, at now: Int64) -> Int64? {
    isOpen = false
    lastHeardAt = now
    let name = "?\(StreamEvent.heartbeatParameter)="
    askedSeconds =
      request.url.ranges(of: name).first.flatMap { Int(request.url[$0.upperBound...]) }
      ?? StreamEvent.heartbeatSeconds
    return diedAt[askedSeconds].flatMap { now - $0 < Self.shortestRest ? $0 : nil }
  }
}

// I15: news arrive in time, although heartbeats are rare.
extension SimulatedDevice {
  private static let lookMilliseconds: Int64 = 60_000
  /// Streams are replaced within two minutes.
  private static let looksAllowed = 4

  func check(_ quiet: inout QuietChecks, opens request: TransportRequest) {
    if let diedAt = quiet.opens(request, at: world.now) {
      world.oracle.findings.add(
        .newsInTime, "quiet of \(number)",
        "device \(number) asks again for \(quiet.askedSeconds) s between heartbeats, of which its stream died \((world.now - diedAt) / 1000) s ago",
        at: world.now)
    }
    guard quiet.askedSeconds > StreamEvent.heartbeatSeconds, needsNewsSoon else { return }
    world.oracle.findings.add(
      .newsInTime, "quiet of alert on \(number)",
      "device \(number) asks for \(quiet.askedSeconds) s between heartbeats while an alert is active", at: world.now)
  }

  /// Looks from time to time whether a stream stays quiet in an alert.
  func watchQuiet() {
    world.after(Self.lookMilliseconds) { [self] in
      lookAtQuiet()
      watchQuiet()
    }
  }

  private func lookAtQuiet() {
    guard
      let engine, engine.isContinuous, !engine.isFrozen, engine.quiet.isOpen,
      engine.quiet.askedSeconds > StreamEvent.heartbeatSeconds, hasAcceptedAlert
    else {
      quietLooks = 0
      return
    }
    quietLooks += 1
    guard quietLooks > Self.looksAllowed else { return }
    world.oracle.findings.add(
      .newsInTime, "quiet stream of \(number)",
      "device \(number) keeps a stream with \(engine.quiet.askedSeconds) s between heartbeats while an alert is active",
      at: world.now)
  }

  private var needsNewsSoon: Bool {
    peek { try $0.syncState() }.map { $0.hasActiveAlert || $0.hasActiveInboxAlert || $0.emergency.count > 0 } ?? false
  }

  /// An alert is active here or in the inbox, and none waits to be sent.
  private var hasAcceptedAlert: Bool {
    peek { try $0.syncState() }.map { ($0.hasActiveAlert || $0.hasActiveInboxAlert) && $0.emergency.count == 0 }
      ?? false
  }
}

import PlantedBugs
import Wire

/// Learns how rare the heartbeats of the event stream may be, so that a radio can sleep between them.
///
/// Whatever is in between may forget a connection that is quiet: an address translator silently, a proxy by closing it. After how long, only
/// trying tells. So each stream asks for the next longer interval than the path has carried, and a stream that dies of it is not asked for
/// as much again. What counts is what was heard: a server that ignores the interval proves nothing by it.
///
/// Kept by the running process, for one path: another network begins anew.
struct HeartbeatPlan: Hashable, Sendable {
  /// The intervals, in seconds.
  static let steps = [
    StreamEvent.heartbeatSeconds, 50, 100, 200, 400, StreamEvent.longestHeartbeatSeconds,
  ]
  /// How much earlier or later than asked for a heartbeat still proves its interval. The first one of a stream comes earlier, because the
  /// server counts whole ticks. After a longer time this process stood still, or the machine slept, and the path may have carried something
  /// meanwhile.
  static let toleranceMilliseconds: Int64 = 10_000
  /// How late a heartbeat may be on a path that works.
  static let usualDelayMilliseconds: Int64 = 2000
  /// How long a step counts as too long: one that was never carried, and one that was carried before.
  static let dayMilliseconds: Int64 = 86_400_000
  static let hourMilliseconds: Int64 = 3_600_000

  /// The longest step that was carried; nil: none yet.
  private(set) var provenStep: Int?
  /// The step that the stream asked for.
  private(set) var askedStep = 0
  private var tooLongUntil = [Int64](repeating: .min, count: steps.count)
  /// A stream of this step broke, and none has proved it since.
  private var suspectedStep: Int?

  var askedSeconds: Int { Self.steps[askedStep] }
  var askedMilliseconds: Int64 { Self.milliseconds(askedStep) }

  private static func milliseconds(_ step: Int) -> Int64 { Int64(steps[step]) * 1000 }

  /// The step to ask for now: one more than what was carried, if no shorter one is too long.
  func nextStep(now: Int64) -> Int {
    let goal = min((provenStep ?? -1) + 1, Self.steps.count - 1)
    return (0...goal).first { $0 > 0 && tooLongUntil[$0] > now }.map { $0 - 1 } ?? goal
  }

  /// The stream is opened, and asks for this step.
  mutating func asks(for step: Int) { askedStep = step }

  /// The stream was heard after so long a quiet.
  mutating func heard(after quiet: Int64) {
    guard abs(quiet - askedMilliseconds) <= Self.toleranceMilliseconds else { return }
    provenStep = max(provenStep ?? 0, askedStep)
    suspectedStep = nil
  }

  /// The stream was silent until its deadline, which passed `lateness` ago.
  mutating func fellSilent(lateness: Int64, now: Int64) {
    // Whoever stood still cannot tell what the path did.
    guard askedStep > 0, lateness <= Self.toleranceMilliseconds else { return }
    isTooLong(now: now)
  }

  /// The stream broke after so long a quiet. A proxy may have found it too long, or the server has stopped: the second time in a row counts.
  mutating func broke(after quiet: Int64, now: Int64) {
    guard askedStep > 0, quiet > Self.milliseconds(0) + Self.usualDelayMilliseconds else { return }
    if suspectedStep == askedStep { isTooLong(now: now) } else { suspectedStep = askedStep }
  }

  private mutating func isTooLong(now: Int64) {
    suspectedStep = nil
    if PlantedBug.quietAskedForAgain.isPlanted { return }
    let wasCarried = provenStep.map { askedStep <= $0 } ?? false
    tooLongUntil[askedStep] = now + (wasCarried ? Self.hourMilliseconds : Self.dayMilliseconds)
    provenStep = min(provenStep ?? 0, askedStep - 1)
  }

  /// What was learned holds for one path.
  mutating func pathChanged() {
    let asked = askedStep
    self = Self()
    askedStep = asked
  }
}

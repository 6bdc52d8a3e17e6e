import Model

/// Virtual time, its future events, and the trace of past ones. Runs on one thread.
final class World {
  let seed: UInt64
  /// Virtual milliseconds since the run began.
  private(set) var now: Int64 = 0
  private(set) var trace: Trace
  private var queue = EventQueue()
  let oracle = Oracle()
  /// The faults are over: networks carry, disks work, clocks run, and nothing dies any more.
  private(set) var isHealed = false

  /// The true time at which the run begins: 2026-01-01T00:00:00Z.
  static let epoch = Timestamp(milliseconds: 1_767_225_600_000)

  init(seed: UInt64, keepsTrace: Bool) {
    self.seed = seed
    trace = Trace(keepsAll: keepsTrace)
  }

  var trueTime: Timestamp { Self.epoch.advanced(byMilliseconds: now) }

  func random(_ stream: String) -> SimulatedRandom { SimulatedRandom(seed: seed, stream: stream) }

  func after(_ milliseconds: Int64, _ run: @escaping () -> Void) {
    queue.add(at: now + max(0, milliseconds), run)
  }

  /// Far more events than a run of hours has: beyond it, something loops.
  private static let mostEvents = 5_000_000
  private var events = 0

  /// Calls `happen` at random times with this mean, divided by `part`, until the faults are over.
  /// - Parameter wait: draws the time until the next call, from the mean in milliseconds.
  func repeatedly(
    _ meanMilliseconds: Int64, _ part: Double, wait: @escaping (Int64) -> Int64, _ happen: @escaping () -> Void
  ) {
    guard part > 0 else { return }
    after(wait(Int64(Double(meanMilliseconds) / part))) { [self] in
      guard !isHealed else { return }
      happen()
      repeatedly(meanMilliseconds, part, wait: wait, happen)
    }
  }

  /// Lets time pass up to `time`.
  func run(until time: Int64) {
    while let next = queue.nextTime, next <= time, let event = queue.removeFirst() {
      now = event.at
      events += 1
      guard events < Self.mostEvents else {
        oracle.findings.add(.bounded, "the events never end", at: now)
        return end()
      }
      event.run()
    }
    now = max(now, time)
  }

  /// Drops all future events and whatever they hold.
  func end() {
    queue = EventQueue()
    disturbPresses = {}
  }

  /// Called when the server is disturbed: timings of alerts are then void.
  var disturbPresses: () -> Void = {}

  func heal() {
    isHealed = true
    note("world", "the faults are over")
  }

  /// Adds a line to the trace.
  func note(_ who: String, _ what: @autoclosure () -> String) {
    trace.add("\(Self.clock(now)) \(who) \(what())")
  }

  /// `00:01:02.345`
  static func clock(_ milliseconds: Int64) -> String {
    func digits(_ value: Int64, _ count: Int) -> String {
      let text = String(value)
      return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
    }
    let seconds = milliseconds / 1000
    return digits(seconds / 3600, 2) + ":" + digits(seconds / 60 % 60, 2) + ":" + digits(seconds % 60, 2) + "."
      + digits(milliseconds % 1000, 3)
  }
}

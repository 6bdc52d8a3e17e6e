import CurlTransport
import DeviceCore
import Dispatch
import LocalStore
import Model
import SyncEngine
import SystemKit

/// `sync --watch`: the background worker, with a line for each notable event.
enum WatchCommand {
  static func run(_ context: Context) throws(Failure) -> ExitStatus {
    let store = try context.openStore()
    do throws(SyncWorkerError) {
      // Before any other thread, so that none of them takes the signals.
      let signals = try ProcessSignals()
      let lines = WatchLines(console: context.console)
      // The last of all: whatever ends may have a line to write.
      defer { lines.finish() }
      let narrator = WatchNarrator(store: store, reports: context.reports, lines: lines)
      narrator.start()
      defer { narrator.stop() }
      let fallback = FallbackSender(store.home) { lines.tell($0) }
      defer { fallback.stop() }
      // Where it is a service.
      let manager = ServiceManager.ofThisProcess()
      defer { manager.tell(.stopping) }
      var options = SyncWorkerOptions.live
      if let watchdog = WorkerWatchdog(manager) {
        options.longestWaitMilliseconds = watchdog.longestWaitMilliseconds
        options.didWake = { watchdog.woke() }
      }
      options.notice = { notice in
        if notice.isOfWork { manager.tell(.ready) }
        fallback.note(notice)
        lines.tell(notice)
      }
      _ = try SyncWorker(store: store, options: options).run(signals: signals)
      return .done
    } catch {
      throw Failure(error)
    }
  }
}

/// Writes the worker's lines, each in one piece, from any thread. No caller waits for the terminal, because one of them is the thread
/// that sends.
struct WatchLines: Sendable {
  private let console: Console
  private let queue: LineQueue
  /// One for all lines: the first shows its zone.
  private let zone = LocalTime.ShownZone()

  init(console: Console) {
    self.console = console
    queue = LineQueue { [zone] count in
      Self.write(event: "lines_dropped", SyncTexts.linesDropped(count), console, zone)
    }
  }

  func tell(_ event: WatchEvent) {
    let now = DeviceClock.now().wall
    queue.add { [console, zone] in
      let time = LocalTime(now: now, zone: zone)
      let stamp = time.full(now)
      console.json { event.writeMembers(now: now, to: &$0) }
      console.say("\(stamp)  \(event.text(time, console))")
    }
  }

  /// Waits until everything is written, at most half a second.
  func finish() { queue.finish(milliseconds: 500) }

  func tell(_ notice: SyncWorkerNotice) {
    switch notice {
    case .started: tell(event: "started", SyncTexts.started)
    case .waitingForLease: tell(event: "waiting", SyncTexts.standingBy)
    case .sendingWithoutHolder:
      tell(event: "sending_alone", SyncTexts.sendingAlone)
    case .configurationRead: tell(event: "configuration_read", SyncTexts.settingsRead)
    case .configurationFailed(let error):
      tell(event: "configuration_failed", SyncTexts.settingsFailed(Sentences.closed(error.message)))
    case .storeFailed(let error): tell(event: "store_failed", SyncTexts.storeFailed(Sentences.closed(error.message)))
    case .networkNotWatched(let error), .homeNotWatched(let error): tell(event: "not_watched", error.message)
    }
  }

  func tell(_ fallback: EmergencyFromMemory.FallbackOutcome) {
    if fallback.sentCount > 0 { tell(event: "sent_from_memory", SyncTexts.sentOutside(fallback.sentCount)) }
    if fallback.leftCount > 0 { tell(event: "not_sent", SyncTexts.unsentOutside(fallback.leftCount)) }
  }

  func tell(event: String, _ message: String) {
    queue.add { [console, zone] in Self.write(event: event, message, console, zone) }
  }

  private static func write(
    event: String, _ message: String, _ console: Console, _ zone: LocalTime.ShownZone
  ) {
    let now = DeviceClock.now().wall
    console.json {
      $0.member("event", event)
      $0.member("at", now.description)
      $0.member("message", message)
    }
    console.say("\(LocalTime(now: now, zone: zone).full(now))  \(message)")
  }
}

/// Writes a line for each change in the store, on a thread of its own.
final class WatchNarrator: Sendable {
  private let store: LocalStore
  private let reports: StoreReports
  private let lines: WatchLines
  private let watcher: StoreWatcher?
  private let queue = DispatchQueue(label: "lifesignal.narrator")
  private let stopping = DispatchSemaphore(value: 0)
  private let ended = DispatchSemaphore(value: 0)
  private let lookMilliseconds: Int?
  private let didLook: @Sendable () -> Void

  /// How long after a change it looks: whoever sends what changed goes first, since they read the same store.
  private static let gatherMilliseconds = 50
  /// How often it looks where changes cannot be watched.
  private static let unwatchedLookMilliseconds = 2000

  /// - Parameters:
  ///   - lookMilliseconds: it also looks this often, without a change.
  ///   - didLook: called after each look, on the narrator's thread.
  init(
    store: LocalStore, reports: StoreReports, lines: WatchLines, lookMilliseconds: Int? = nil,
    didLook: @escaping @Sendable () -> Void = {}
  ) {
    self.lookMilliseconds = lookMilliseconds
    self.didLook = didLook
    self.store = store
    self.reports = reports
    self.lines = lines
    watcher = StoreWatcher(store.home, for: .writesAndPokes)
  }

  func start() {
    queue.async { [self] in
      var before: AlertStatus?
      var watch = watcher.map { SettlingWatch($0) }
      repeat {
        look(&before)
        didLook()
      } while waitForLook(&watch)
      look(&before)
      ended.signal()
    }
  }

  /// A store that cannot be read now is read at the next look; the worker reports its failures.
  private func look(_ before: inout AlertStatus?) {
    guard let after = try? store.status(.bounded) else { return }
    tellNews(between: before, after)
    before = after
  }

  private func tellNews(between before: AlertStatus?, _ after: AlertStatus) {
    for message in reports.news(of: store) { lines.tell(event: "store_report", message) }
    for event in WatchEvent.between(before, after) { lines.tell(event) }
  }

  /// False if it has to stop.
  private func waitForLook(_ watch: inout SettlingWatch?) -> Bool {
    if let event = watch?.wait(milliseconds: lookMilliseconds.map(Int64.init)) {
      guard event != .interrupted else { return false }
      return stopping.wait(timeout: .now() + .milliseconds(Self.gatherMilliseconds)) == .timedOut
    }
    let limit = lookMilliseconds ?? Self.unwatchedLookMilliseconds
    return stopping.wait(timeout: .now() + .milliseconds(limit)) == .timedOut
  }

  /// Writes what is left, and ends.
  func stop() {
    stopping.signal()
    watcher?.interrupt()
    _ = ended.wait(timeout: .now() + .milliseconds(500))
  }
}

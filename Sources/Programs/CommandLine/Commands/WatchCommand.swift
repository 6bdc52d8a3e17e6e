import CurlTransport
import DeviceCore
import Dispatch
import LocalStore
import Model
import SyncEngine

/// `sync --watch`: the background worker, with a line for each notable event.
enum WatchCommand {
  static func run(_ context: Context) throws(Failure) -> ExitStatus {
    let store = try context.openStore()
    do throws(SyncWorkerError) {
      // Before any other thread, so that none of them takes the signals.
      let signals = try ProcessSignals()
      let lines = WatchLines(console: context.console)
      let narrator = WatchNarrator(store: store, reports: context.reports, lines: lines)
      narrator.start()
      defer { narrator.stop() }
      let fallbackSender = FallbackSender(store.home) { lines.tell($0) }
      defer { fallbackSender?.stop() }
      var options = SyncWorkerOptions.live
      options.notice = { notice in
        switch notice {
        case .started: fallbackSender?.start()
        case .storeFailed: fallbackSender?.look()
        default: break
        }
        lines.tell(notice)
      }
      defer { lines.finish() }
      _ = try SyncWorker(store: store, options: options).run(signals: signals)
      return .done
    } catch {
      throw Failure(error)
    }
  }
}

/// Writes the worker's lines, each in one piece; from any thread. None of them waits for the terminal: the thread that sends is
/// among them.
struct WatchLines: Sendable {
  private let console: Console
  private let queue: LineQueue

  init(console: Console) {
    self.console = console
    queue = LineQueue { count in
      Self.write(event: "lines_dropped", "\(count) lines are missing here: the output took none", console)
    }
  }

  func tell(_ event: WatchEvent) {
    let now = DeviceClock.now().wall
    queue.add { [console] in
      let time = LocalTime(now: now)
      console.json { event.writeMembers(now: now, to: &$0) }
      console.say("\(time.full(now))  \(event.text(time, console))")
    }
  }

  /// Waits until all is written, for half a second at most.
  func finish() { queue.finish(milliseconds: 500) }

  func tell(_ notice: SyncWorkerNotice) {
    switch notice {
    case .started: tell(event: "started", "working; end with Ctrl-C")
    case .waitingForLease: tell(event: "waiting", "Another sync is running; standing by.")
    case .sendingWithoutHolder:
      tell(event: "sending_alone", "The other sync has not sent the alert in time. Sending it from here as well.")
    case .configurationRead: tell(event: "configuration_read", "read the configuration again")
    case .configurationFailed(let error): tell(event: "configuration_failed", "the old one stays: \(error.message)")
    case .storeFailed(let error): tell(event: "store_failed", "the store failed, trying again: \(error.message)")
    case .networkNotWatched(let error), .homeNotWatched(let error): tell(event: "not_watched", error.message)
    }
  }

  func tell(_ fallback: EmergencyFromMemory.FallbackOutcome) {
    if fallback.sentCount > 0 { tell(event: "sent_from_memory", UnsentText.sent(fallback.sentCount)) }
    if fallback.leftCount > 0 { tell(event: "not_sent", UnsentText.left(fallback.leftCount)) }
  }

  func tell(event: String, _ message: String) {
    queue.add { [console] in Self.write(event: event, message, console) }
  }

  private static func write(event: String, _ message: String, _ console: Console) {
    let now = DeviceClock.now().wall
    console.json {
      $0.member("event", event)
      $0.member("at", now.description)
      $0.member("message", message)
    }
    console.say("\(LocalTime(now: now).full(now))  \(message)")
  }
}

/// Tells what changes in the store, on a thread of its own.
final class WatchNarrator: Sendable {
  private let store: LocalStore
  private let reports: StoreReports
  private let lines: WatchLines
  private let watcher: StoreWatcher?
  private let queue = DispatchQueue(label: "lifesignal.narrator")
  private let ended = DispatchSemaphore(value: 0)

  init(store: LocalStore, reports: StoreReports, lines: WatchLines) {
    self.store = store
    self.reports = reports
    self.lines = lines
    watcher = StoreWatcher(store.home)
  }

  func start() {
    queue.async { [self] in
      var before: AlertStatus?
      repeat {
        // A store that cannot be read now is read at its next change; the worker tells of its failures.
        guard let after = try? store.status() else { continue }
        for message in reports.news(of: store) { lines.tell(event: "store_report", message) }
        for event in WatchEvent.between(before, after) { lines.tell(event) }
        before = after
      } while watcher?.wait(milliseconds: nil) == .changed
      ended.signal()
    }
  }

  /// Tells what is left to be told, and ends.
  func stop() {
    watcher?.interrupt()
    _ = ended.wait(timeout: .now() + .milliseconds(500))
  }
}

import DeviceCore
import Dispatch
import LocalStore
import Model
import SystemKit

/// Asks gpsd where the person is, once their alert is saved, and saves the place as news of it.
///
/// It runs on a thread of its own: neither a host that hangs nor one that answers nonsense delays anything.
final class PlaceSearch: Sendable {
  /// How long gpsd has to answer. It reports once a second.
  static let limitMilliseconds = 2000

  private struct State {
    var isOver = false
    var isTold = false
    var place: (found: FoundPlace, saved: SavedNews)?
    var whenOver: (@Sendable () -> Void)?
  }

  private let state = Lock(State())
  private let over = DispatchSemaphore(value: 0)

  private init() {}

  /// Starts it for an alert that is saved in the store. Nil if gpsd is switched off, or if no thread can be started.
  static func start(for alert: Alert, _ store: LocalStore, _ source: PlaceSource?) -> PlaceSearch? {
    guard let source else { return nil }
    let search = PlaceSearch()
    do throws(SystemError) {
      try SystemThread.detach { search.run(source, alert, store) }
      return search
    } catch {
      return nil
    }
  }

  /// Has `action` called when it is over, on its thread; at once if it is.
  func whenOver(_ action: @escaping @Sendable () -> Void) {
    let isOver = state.withLock { state in
      state.whenOver = action
      return state.isOver
    }
    if isOver { action() }
  }

  /// Whether nothing of it is to be waited for: no place came, or it is sent.
  func isSettled(_ store: LocalStore) -> Bool {
    let (isOver, place) = state.withLock { ($0.isOver, $0.place) }
    guard isOver, let place else { return isOver }
    return (try? store.isQueued(place.saved.mutation)) == false
  }

  /// What it found, once; nil before that, and if it found nothing.
  func takeLine(_ console: Console) -> String? {
    let place = state.withLock { state in
      defer { state.isTold = state.place != nil }
      return state.isTold ? nil : state.place
    }
    guard let place else { return nil }
    return AlertTexts.placeFound(place.found, console)
  }

  /// Waits until it is over, as long as gpsd has to answer.
  func wait() { _ = over.wait(timeout: .now() + .milliseconds(Self.limitMilliseconds + 500)) }

  private func run(_ source: PlaceSource, _ alert: Alert, _ store: LocalStore) {
    var place: (FoundPlace, SavedNews)?
    if let found = source.place(withinMilliseconds: Self.limitMilliseconds) {
      let news = AlertNews(
        location: found.location, accuracyMeters: found.accuracyMeters, batteryPercent: Battery.percent())
      // Best effort: the alert is saved. One that has ended meanwhile needs no place.
      if let saved = try? store.updateAlert(news, of: alert.id, at: DeviceClock.now()) { place = (found, saved) }
    }
    let action = state.withLock { state in
      state.place = place.map { (found: $0.0, saved: $0.1) }
      state.isOver = true
      return state.whenOver
    }
    over.signal()
    action?()
  }
}

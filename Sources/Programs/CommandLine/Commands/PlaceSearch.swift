import DeviceCore
import Dispatch
import LocalStore
import Model
import SystemKit

/// Asks gpsd where the person is, once their alert is saved, and saves the place as news of it, with the battery level: that alone where
/// there is no place.
///
/// Beside the sending it runs on a thread of its own: neither a host that hangs nor one that answers nonsense delays anything.
final class PlaceSearch: Sendable {
  /// How long gpsd has to answer. It reports once a second.
  static let limitMilliseconds = 2000

  private struct State {
    var isOver = false
    var isTold = false
    var place: FoundPlace?
    var saved: SavedNews?
    var whenOver: (@Sendable () -> Void)?
  }

  private let state = Lock(State())
  private let over = DispatchSemaphore(value: 0)

  private init() {}

  /// Starts it for a press that is saved in the store. Nil if no thread can be started.
  ///
  /// - Parameter source: nil looks for no place.
  static func start(for press: AlertID, _ store: LocalStore, _ source: PlaceSource?) -> PlaceSearch? {
    let search = PlaceSearch()
    do throws(SystemError) {
      try SystemThread.detach { search.run(source, press, store) }
      return search
    } catch {
      return nil
    }
  }

  /// Does it on this thread where the source ends in time by itself, which is faster; else starts it. For a caller that has nothing else to
  /// do until it is over.
  static func run(for press: AlertID, _ store: LocalStore, _ source: PlaceSource?) -> PlaceSearch? {
    guard source?.isAddressKnown ?? true else { return start(for: press, store, source) }
    let search = PlaceSearch()
    search.run(source, press, store)
    return search
  }

  /// Has `action` called when it is over, on its thread; at once if it is.
  func whenOver(_ action: @escaping @Sendable () -> Void) {
    let isOver = state.withLock { state in
      state.whenOver = action
      return state.isOver
    }
    if isOver { action() }
  }

  /// Whether nothing of it is to be waited for: there was nothing to save, or it is sent.
  func isSettled(_ store: LocalStore) -> Bool {
    let (isOver, saved) = state.withLock { ($0.isOver, $0.saved) }
    guard isOver, let saved else { return isOver }
    return (try? store.isQueued(saved.mutation)) == false
  }

  /// The place that it found, once; nil before that, and if it found none.
  func takeLine(_ console: Console) -> String? {
    let place = state.withLock { state in
      defer { state.isTold = state.place != nil }
      return state.isTold ? nil : state.place
    }
    guard let place else { return nil }
    return AlertTexts.placeFound(place, console)
  }

  /// Waits until it is over, as long as gpsd has to answer.
  func wait() { _ = over.wait(timeout: .now() + .milliseconds(Self.limitMilliseconds + 500)) }

  private func run(_ source: PlaceSource?, _ press: AlertID, _ store: LocalStore) {
    let place = source?.place(withinMilliseconds: Self.limitMilliseconds)
    let saved = DeviceNews.save(place, ofPress: press, in: store)
    let action = state.withLock { state in
      state.place = saved == nil ? nil : place
      state.saved = saved
      state.isOver = true
      return state.whenOver
    }
    over.signal()
    action?()
  }
}

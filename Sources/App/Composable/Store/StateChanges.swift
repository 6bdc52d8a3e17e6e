import Observation

/// Tells the observers of a store's state that it changes.
///
/// It is not generic as the store is: what Observation needs to know of a type is then known when the program is built, and is
/// not looked up in each `send`.
@MainActor
final class StateChanges: Observable {
  /// Stands for the whole state: what an observer of any part of it observes.
  private var state: Void { () }
  private let registrar = ObservationRegistrar()
  /// Stored, because making one takes longer than using it.
  private let path: KeyPath<StateChanges, Void> = \.state

  /// Must be called whenever the state is read.
  func access() { registrar.access(self, keyPath: path) }

  /// Must be called before the state changes.
  func willChange() { registrar.willSet(self, keyPath: path) }

  /// Must be called after the state has changed.
  func didChange() { registrar.didSet(self, keyPath: path) }
}

import Synchronization

/// Whether the server is about to end: it is not ready any more, and each connection ends with its next answer.
final class Ending: Sendable {
  private let flag = Atomic(false)

  var hasBegun: Bool { flag.load(ordering: .relaxed) }

  func begin() { flag.store(true, ordering: .relaxed) }
}

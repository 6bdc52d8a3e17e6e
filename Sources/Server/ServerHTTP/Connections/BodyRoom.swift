import SystemKit

/// Room for large bodies: so that neither all together nor those with one credential fill the memory.
final class BodyRoom: Sendable {
  private struct State {
    var total = 0
    var ofCredentials: [String: Int] = [:]
  }

  /// Kept as long as the body is.
  final class Place: Sendable {
    private let room: BodyRoom
    private let credential: String

    fileprivate init(_ room: BodyRoom, _ credential: String) {
      self.room = room
      self.credential = credential
    }

    deinit { room.leave(credential) }
  }

  private let state = Lock(State())
  private let limit: Int
  private let limitPerCredential: Int

  init(limit: Int, limitPerCredential: Int) {
    self.limit = limit
    self.limitPerCredential = limitPerCredential
  }

  /// Nil if there is none, for all or for those who show `credential`.
  func take(_ credential: String) -> Place? {
    state.withLock { state in
      guard state.total < limit, state.ofCredentials[credential, default: 0] < limitPerCredential else { return nil }
      state.total += 1
      state.ofCredentials[credential, default: 0] += 1
      return Place(self, credential)
    }
  }

  private func leave(_ credential: String) {
    state.withLock { state in
      state.total -= 1
      guard let count = state.ofCredentials[credential] else { return }
      state.ofCredentials[credential] = count > 1 ? count - 1 : nil
    }
  }
}

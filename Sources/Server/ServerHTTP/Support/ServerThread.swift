import SystemKit

extension SystemThread {
  /// Runs `body` on a new thread. Throws `cannotStart` where the system has none left.
  static func forServer(_ body: @escaping @Sendable () -> Void) throws(ServerError) -> SystemThread {
    do throws(SystemError) {
      return try SystemThread(body)
    } catch {
      throw ServerError(.cannotStart, "the system has no thread left")
    }
  }
}

/// The effects that follow an action, with those of the actions that they send.
@MainActor
public struct StoreTask: Sendable {
  let flight: Flight?

  /// Whether none of them is left.
  public var isFinished: Bool { flight?.isEmpty ?? true }

  /// Returns when all of them have ended, or the caller's task was cancelled: then they are cancelled too.
  public func finish() async {
    guard let flight else { return }
    await withTaskCancellationHandler {
      await flight.finish()
    } onCancel: {
      Task { @MainActor in flight.cancel() }
    }
  }

  /// Cancels all of them, and returns when they have ended.
  public func cancel() async {
    flight?.cancel()
    await flight?.finish()
  }
}

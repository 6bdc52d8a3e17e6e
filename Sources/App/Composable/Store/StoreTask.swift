/// The effects that follow an action, including the effects of the actions that they send.
@MainActor
public struct StoreTask: Sendable {
  let flight: Flight?

  /// Whether all effects have ended.
  public var isFinished: Bool { flight?.isEmpty ?? true }

  /// Returns when all effects have ended. If the caller's task is cancelled, the effects are cancelled too.
  public func finish() async {
    guard let flight, !flight.isEmpty else { return }
    await withTaskCancellationHandler {
      await flight.finish()
    } onCancel: {
      Task { @MainActor in flight.cancel() }
    }
  }

  /// Cancels all effects, and returns when they have ended.
  public func cancel() async {
    flight?.cancel()
    await flight?.finish()
  }
}

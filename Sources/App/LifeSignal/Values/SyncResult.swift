import SyncEngine

extension LifeSignalClient {
  /// What one sync did.
  public struct SyncResult: Hashable, Sendable {
    /// The number of items that the server took.
    public let pushed: Int
    /// The number of changes that it brought.
    public let pulled: Int
    /// The number of items that are queued here and not taken by the server yet.
    public let pending: Int
    /// The number of items that the server refused, until a person decides about them.
    public let parked: Int
    /// Why not all was sent and fetched; nil where it was. What is pending stays saved.
    public let failure: LifeSignalError?

    /// For previews and tests: without arguments that of a sync that found nothing to do.
    public init(pushed: Int = 0, pulled: Int = 0, pending: Int = 0, parked: Int = 0, failure: LifeSignalError? = nil) {
      self.pushed = pushed
      self.pulled = pulled
      self.pending = pending
      self.parked = parked
      self.failure = failure
    }

    init(_ report: SyncReport) {
      self.init(
        pushed: report.pushed, pulled: report.pulled, pending: report.pending, parked: report.parked,
        failure: report.error.map { LifeSignalError($0) })
    }
  }
}

/// What signing out would lose.
public struct PendingItems: Hashable, Sendable {
  /// How many things that are saved on this device the server has not taken. They go with the account's data.
  public var count: Int
  /// An alert that the server does not know is among them.
  public var includesUnsentAlert: Bool
  /// An alert is active, which this device could not end any more.
  public var leavesActiveAlert: Bool

  /// So many things, with an alert among them or without, while one is active or none.
  public init(count: Int, includesUnsentAlert: Bool = false, leavesActiveAlert: Bool = false) {
    self.count = count
    self.includesUnsentAlert = includesUnsentAlert
    self.leavesActiveAlert = leavesActiveAlert
  }

  /// Nothing would be lost.
  public var isEmpty: Bool { count <= 0 && !leavesActiveAlert }
}

/// What is saved on this device and would be lost with the account's data.
public struct PendingItems: Hashable, Sendable {
  /// How many things the server has not taken.
  public var count: Int
  /// An alert that the server does not know is among them.
  public var includesUnsentAlert: Bool

  /// So many things, with an alert among them or without.
  public init(count: Int, includesUnsentAlert: Bool = false) {
    self.count = count
    self.includesUnsentAlert = includesUnsentAlert
  }
}

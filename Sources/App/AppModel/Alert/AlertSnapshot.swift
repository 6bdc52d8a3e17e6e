public import FoundationEssentials
public import Model

/// How the active alert stands, or the newest one if none is active, and how the device and the server agree. The client, the features
/// and a view all use this one value.
///
/// It says what this device knows for sure: no stage of the delivery is shown before it is reached.
public struct AlertSnapshot: Hashable, Sendable {
  /// Whether an alert would reach anybody.
  public typealias Readiness = Model.Readiness
  /// How far an alert got.
  public typealias Delivery = AlertDelivery
  /// How far the device and the server agree.
  public typealias Connection = ConnectionStatus

  /// Whether an alert is active.
  public var isActive: Bool
  /// When it was raised, by the clock of the device that raised it; nil before the first alert.
  public var startTime: Date?
  /// When it was ended, by the clock of the device that ended it; nil while it is active.
  public var endTime: Date?
  /// A drill, told to the responders as one.
  public var isDrill: Bool
  /// The alert's id; nil before the first alert.
  public var alertID: AlertID?
  /// What the person said when they raised it.
  public var message: String?
  /// Where they were when they raised it.
  public var location: Location?
  /// The other alerts that are active: several devices of one person raised one each before they heard of each other. Drills only if this is
  /// one.
  public var otherActive: [ActiveAlert] = []
  /// How far it got; nil before the first alert.
  public var delivery: AlertDelivery?
  /// How the device and the server agree.
  public var connection: ConnectionStatus
  /// Why the store cannot be read: one line for a person; nil if it can. The alert is then known from a file of its own: it is active
  /// and saved, nothing is sent, and nothing else is known, not even who is signed in.
  public var storeProblem: String?
  /// Why a saved alert cannot be read, so that one may be active although `isActive` is false: one line for a person. Nil if everything can
  /// be read, and while an alert is active.
  public var unreadableAlert: String?
  /// Whether an alert would reach anybody; nil if unknown.
  public var readiness: Readiness?
  /// Every active alert as it was known then, for an end that covers no more; nil if unknown.
  package var toEnd: [AlertToEnd]?
  /// The revisions of the history and the contacts; nil if unknown.
  package var revision: SnapshotRevision?

  /// A snapshot; without arguments that of a device on which no alert was raised and nobody is signed in.
  public init(
    isActive: Bool = false, startTime: Date? = nil, endTime: Date? = nil, isDrill: Bool = false,
    alertID: AlertID? = nil, message: String? = nil, location: Location? = nil, delivery: AlertDelivery? = nil,
    connection: ConnectionStatus = ConnectionStatus(), storeProblem: String? = nil, readiness: Readiness? = nil
  ) {
    self.readiness = readiness
    self.isActive = isActive
    self.startTime = startTime
    self.endTime = endTime
    self.isDrill = isDrill
    self.alertID = alertID
    self.message = message
    self.location = location
    self.delivery = delivery
    self.connection = connection
    self.storeProblem = storeProblem
  }
}

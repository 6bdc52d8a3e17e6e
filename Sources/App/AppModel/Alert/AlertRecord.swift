public import FoundationEssentials
public import Model

/// An alert, as the person sees it.
public struct AlertRecord: Hashable, Sendable, Identifiable {
  /// The alert's id, the same on every device of the account.
  public let id: AlertID
  /// When it was raised, by the clock of the device that raised it.
  public var startTime: Date
  /// When it was ended, by the clock of the device that ended it; nil while it is active, and where it was discarded.
  public var endTime: Date?
  /// The account's id as text; empty for one that was raised before the first sign-in.
  public var userId: String
  /// It was raised, not ended, and not discarded.
  public var isActive: Bool
  /// How far it got.
  public var stage: DeliveryStage
  /// Whether the person discarded it before the server had it: it will never be sent.
  public var isDiscarded: Bool
  /// A drill, told to the responders as one.
  public var isDrill: Bool
  /// What the person said when they raised it.
  public var message: String?
  /// Where they were when they raised it.
  public var location: Location?

  /// An alert that is active where `isActive` is not given and it has no end.
  public init(
    id: AlertID, startTime: Date, endTime: Date? = nil, userId: String, isActive: Bool? = nil,
    stage: DeliveryStage = .saved, isDiscarded: Bool = false, isDrill: Bool = false, message: String? = nil,
    location: Location? = nil
  ) {
    self.id = id
    self.startTime = startTime
    self.endTime = endTime
    self.userId = userId
    self.isActive = isActive ?? (endTime == nil && !isDiscarded)
    self.stage = stage
    self.isDiscarded = isDiscarded
    self.isDrill = isDrill
    self.message = message
    self.location = location
  }
}

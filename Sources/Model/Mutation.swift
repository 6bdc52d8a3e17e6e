/// A change that a device wants the server to make, once.
public struct Mutation: Hashable, Sendable, Identifiable {
  /// Its idempotency key: the same however often it is sent.
  public let id: MutationID
  /// The alert or the contact that it changes. Mutations of one entity are applied in the order of their queueing.
  public let entityID: EntityID
  /// When it happened, by the device's wall clock.
  public let occurredAt: Timestamp
  /// What is to change.
  public let change: Change

  /// A change of one entity.
  public init(id: MutationID, entityID: EntityID, occurredAt: Timestamp, change: Change) {
    self.id = id
    self.entityID = entityID
    self.occurredAt = occurredAt
    self.change = change
  }

  /// What is to change, with all that the server has to know of it.
  public enum Change: Hashable, Sendable {
    /// An alert was raised.
    case activateAlert(AlertActivation)
    /// An alert was ended.
    case deactivateAlert(AlertDeactivation)
    /// A contact was added, or what is known of it was replaced.
    case putContact(ContactDetails)
    /// A contact was removed.
    case removeContact

    /// Which kind of mutation it is.
    public var kind: Kind {
      switch self {
      case .activateAlert: .activateAlert
      case .deactivateAlert: .deactivateAlert
      case .putContact: .putContact
      case .removeContact: .removeContact
      }
    }
  }

  /// The kinds of mutation, as the wire and the store write them.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// An alert was raised.
    case activateAlert = "alert.activate"
    /// An alert was ended.
    case deactivateAlert = "alert.deactivate"
    /// A contact was added or replaced.
    case putContact = "contact.put"
    /// A contact was removed.
    case removeContact = "contact.remove"

    /// How much haste it has.
    public var lane: Lane {
      switch self {
      case .activateAlert, .deactivateAlert: .emergency
      case .putContact, .removeContact: .routine
      }
    }
  }
}

/// What a queued item's haste is: alerts go before everything else.
public enum Lane: String, Hashable, Sendable, CaseIterable {
  /// Alerts, and the wishes that responders be told.
  case emergency
  /// Everything else.
  case routine
}

/// The body of `alert.activate`.
public struct AlertActivation: Hashable, Sendable {
  /// By the raising device's clock.
  public let startedAt: Timestamp
  /// What the person said.
  public let message: String?
  /// Where the person was, where they told it.
  public let location: Location?
  /// A drill: told to the responders as one.
  public let isDrill: Bool
  /// Minutes east of UTC on the raising device, so that responders read its local time; nil where unknown.
  public let utcOffsetMinutes: Int?

  /// An alert raised at `startedAt`.
  public init(
    startedAt: Timestamp, message: String?, location: Location?, isDrill: Bool, utcOffsetMinutes: Int?
  ) {
    self.startedAt = startedAt
    self.message = message
    self.location = location
    self.isDrill = isDrill
    self.utcOffsetMinutes = utcOffsetMinutes
  }
}

/// The body of `alert.deactivate`.
public struct AlertDeactivation: Hashable, Sendable {
  /// By the ending device's clock.
  public let endedAt: Timestamp

  /// An end at `endedAt`.
  public init(endedAt: Timestamp) {
    self.endedAt = endedAt
  }
}

/// A device's wish that an alert's responders be told. It follows its alert's mutation in the same exchange.
public struct NotificationRequest: Hashable, Sendable, Identifiable {
  /// Its idempotency key: the same however often it is sent.
  public let id: NotificationID
  /// The alert of which they are to be told.
  public let alertID: AlertID
  /// What they are to be told.
  public let notice: Notice

  /// A wish that an alert's responders be told.
  public init(id: NotificationID, alertID: AlertID, notice: Notice) {
    self.id = id
    self.alertID = alertID
    self.notice = notice
  }
}

/// What responders are told: that help is needed, or that the person is safe.
public enum Notice: String, Hashable, Sendable, CaseIterable, Codable {
  /// Help is needed.
  case activated
  /// The person is safe.
  case deactivated
}

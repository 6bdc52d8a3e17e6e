/// A change that a device wants the server to make, once.
public struct Mutation: Hashable, Sendable, Identifiable {
  public let id: MutationID
  /// The alert or the contact that it changes. Mutations of one entity are applied in the order of their queueing.
  public let entityID: EntityID
  /// When it happened, by the device's wall clock.
  public let occurredAt: Timestamp
  public let change: Change

  public init(id: MutationID, entityID: EntityID, occurredAt: Timestamp, change: Change) {
    self.id = id
    self.entityID = entityID
    self.occurredAt = occurredAt
    self.change = change
  }

  public enum Change: Hashable, Sendable {
    case activateAlert(AlertActivation)
    case deactivateAlert(AlertDeactivation)
    case putContact(ContactDetails)
    case removeContact

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
    case activateAlert = "alert.activate"
    case deactivateAlert = "alert.deactivate"
    case putContact = "contact.put"
    case removeContact = "contact.remove"

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
  case emergency, routine
}

/// The body of `alert.activate`.
public struct AlertActivation: Hashable, Sendable {
  /// By the raising device's clock.
  public let startedAt: Timestamp
  public let message: String?
  public let location: Location?
  public let isDrill: Bool
  /// Minutes east of UTC on the raising device, so that responders read its local time; nil where unknown.
  public let utcOffsetMinutes: Int?

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

  public init(endedAt: Timestamp) {
    self.endedAt = endedAt
  }
}

/// A device's wish that an alert's responders be told. It follows its alert's mutation in the same exchange.
public struct NotificationRequest: Hashable, Sendable, Identifiable {
  public let id: NotificationID
  public let alertID: AlertID
  public let notice: Notice

  public init(id: NotificationID, alertID: AlertID, notice: Notice) {
    self.id = id
    self.alertID = alertID
    self.notice = notice
  }
}

/// What responders are told: that help is needed, or that the person is safe.
public enum Notice: String, Hashable, Sendable, CaseIterable, Codable {
  case activated, deactivated
}

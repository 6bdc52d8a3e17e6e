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
    /// Help was called for again while the alert was active.
    case updateAlert(AlertUpdate)
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
      case .updateAlert: .updateAlert
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
    /// Help was called for again while the alert was active.
    case updateAlert = "alert.update"
    /// An alert was ended.
    case deactivateAlert = "alert.deactivate"
    /// A contact was added or replaced.
    case putContact = "contact.put"
    /// A contact was removed.
    case removeContact = "contact.remove"

    /// How much haste it has.
    public var lane: Lane {
      switch self {
      case .activateAlert, .updateAlert, .deactivateAlert: .emergency
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

/// The body of `alert.update`: a further press while the alert was active, with what came with it.
public struct AlertUpdate: Hashable, Sendable {
  /// When the person pressed, by the device's clock.
  public let at: Timestamp
  /// What the person said.
  public let message: String?
  /// Where the person was, where they told it.
  public let location: Location?
  /// The radius around `location` within which the person is, in metres; nil where unknown.
  public let accuracyMeters: Double?
  /// How full the device's battery was, 0…100; nil where unknown.
  public let batteryPercent: Int?

  /// A press at `at`. An accuracy or a battery level that cannot be is left out.
  public init(
    at: Timestamp, message: String? = nil, location: Location? = nil, accuracyMeters: Double? = nil,
    batteryPercent: Int? = nil
  ) {
    self.at = at
    self.message = message
    self.location = location
    self.accuracyMeters = accuracyMeters.flatMap { $0.isFinite && $0 >= 0 ? $0 : nil }
    self.batteryPercent = batteryPercent.flatMap { (0...100).contains($0) ? $0 : nil }
  }

  /// It says something: more than that the person pressed.
  public var saysSomething: Bool { message != nil || location != nil }

  /// This press with what `earlier` said and this one leaves out. An accuracy belongs to its location.
  package func over(_ earlier: AlertUpdate?) -> AlertUpdate {
    AlertUpdate(
      at: at, message: message ?? earlier?.message, location: location ?? earlier?.location,
      accuracyMeters: location == nil ? earlier?.accuracyMeters : accuracyMeters,
      batteryPercent: batteryPercent ?? earlier?.batteryPercent)
  }
}

/// The newest press after the one that raised the alert, as the server counts them.
public struct NewestUpdate: Hashable, Sendable {
  /// The id of its mutation.
  public let id: MutationID
  /// What it said, and what earlier updates said that it left out.
  public let update: AlertUpdate

  /// The press of this id.
  public init(id: MutationID, update: AlertUpdate) {
    self.id = id
    self.update = update
  }
}

/// The body of `alert.deactivate`.
public struct AlertDeactivation: Hashable, Sendable {
  /// By the ending device's clock.
  public let endedAt: Timestamp
  /// The newest update that the person could see when they ended the alert; empty: none. Nil: a device that knows no updates,
  /// whose end counts whatever came before it.
  ///
  /// The server does not end an alert for which another device called again unseen.
  public let seenUpdates: [MutationID]?

  /// An end at `endedAt`.
  public init(endedAt: Timestamp, seenUpdates: [MutationID]? = nil) {
    self.endedAt = endedAt
    self.seenUpdates = seenUpdates
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

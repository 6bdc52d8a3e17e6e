/// A change that a device asks the server to make exactly once.
public struct Mutation: Hashable, Sendable, Identifiable {
  /// Its idempotency key: the same for every retry.
  public let id: MutationID
  /// The alert, the contact or the inbox's alert that it changes. Mutations of one entity are applied in queue order.
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

  /// What changes, with all the data that the server needs.
  public enum Change: Hashable, Sendable {
    /// An alert was raised.
    case activateAlert(AlertActivation)
    /// Help was called for again while the alert was active.
    case updateAlert(AlertUpdate)
    /// An alert was ended.
    case deactivateAlert(AlertDeactivation)
    /// A contact was added, or its details were replaced.
    case putContact(ContactDetails)
    /// A contact was removed.
    case removeContact
    /// The person told their name.
    case putProfile(Profile)
    /// The person opened an alert in their inbox.
    case seeInbox
    /// The person answered an alert in their inbox.
    case answerInbox(InboxAnswer)

    /// Which kind of mutation it is.
    public var kind: Kind {
      switch self {
      case .activateAlert: .activateAlert
      case .updateAlert: .updateAlert
      case .deactivateAlert: .deactivateAlert
      case .putContact: .putContact
      case .removeContact: .removeContact
      case .putProfile: .putProfile
      case .seeInbox: .seeInbox
      case .answerInbox: .answerInbox
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
    /// The person told their name.
    case putProfile = "profile.put"
    /// The person opened an alert in their inbox.
    case seeInbox = "inbox.seen"
    /// The person answered an alert in their inbox.
    case answerInbox = "inbox.answer"

    /// Whether it matters when it happened, and not only in which order.
    package var isDated: Bool { lane == .emergency || self == .answerInbox }

    /// Its priority.
    public var lane: Lane {
      switch self {
      case .activateAlert, .updateAlert, .deactivateAlert: .emergency
      case .putContact, .removeContact, .putProfile, .seeInbox, .answerInbox: .routine
      }
    }
  }
}

/// The priority of a queued item: alerts go before everything else.
public enum Lane: String, Hashable, Sendable, CaseIterable {
  /// Alerts and notification requests.
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
  /// Minutes east of UTC on the raising device, to show responders its local time; nil if unknown.
  public let utcOffsetMinutes: Int?
  /// The only responder who is told of a drill; nil: all of them. Nil of a real alert. A server that does not know it tells all of
  /// them, so a device sends it only to one that names its channels.
  package let onlyContact: ContactID?

  /// An alert raised at `startedAt`.
  public init(
    startedAt: Timestamp, message: String?, location: Location?, isDrill: Bool, utcOffsetMinutes: Int?
  ) {
    self.init(
      startedAt: startedAt, message: message, location: location, isDrill: isDrill, utcOffsetMinutes: utcOffsetMinutes,
      onlyContact: nil)
  }

  /// The same, perhaps told to one responder alone. A real alert is told to all.
  package init(
    startedAt: Timestamp, message: String?, location: Location?, isDrill: Bool, utcOffsetMinutes: Int?,
    onlyContact: ContactID?
  ) {
    self.onlyContact = isDrill ? onlyContact : nil
    self.startedAt = startedAt
    self.message = message
    self.location = location
    self.isDrill = isDrill
    self.utcOffsetMinutes = utcOffsetMinutes
  }
}

/// The body of `alert.update`: a further press while the alert was active, with its details; or a place or a battery level alone, which
/// is no call for help.
public struct AlertUpdate: Hashable, Sendable {
  /// When the person pressed, or the place was found, by the device's clock.
  public let at: Timestamp
  /// What the person said.
  public let message: String?
  /// Where the person was, where they told it.
  public let location: Location?
  /// The accuracy radius of `location`, in meters; nil if unknown.
  public let accuracyMeters: Double?
  /// The device's battery level, 0…100; nil if unknown.
  public let batteryPercent: Int?
  /// Whether a person calls for help with it: if the alert has ended meanwhile, it becomes a new alert. Otherwise it is dropped then.
  public let isCall: Bool

  /// A press at `at`. An invalid accuracy or battery level is dropped.
  public init(
    at: Timestamp, message: String? = nil, location: Location? = nil, accuracyMeters: Double? = nil,
    batteryPercent: Int? = nil, isCall: Bool = true
  ) {
    self.isCall = isCall
    self.at = at
    self.message = message
    self.location = location
    self.accuracyMeters = accuracyMeters.flatMap { $0.isFinite && $0 >= 0 ? $0 : nil }
    self.batteryPercent = batteryPercent.flatMap { (0...100).contains($0) ? $0 : nil }
  }

  /// This update, with details that it omits taken from `earlier`. An accuracy stays with its location. It is a call for help if either is.
  package func over(_ earlier: AlertUpdate?) -> AlertUpdate {
    AlertUpdate(
      at: at, message: message ?? earlier?.message, location: location ?? earlier?.location,
      accuracyMeters: location == nil ? earlier?.accuracyMeters : accuracyMeters,
      batteryPercent: batteryPercent ?? earlier?.batteryPercent, isCall: isCall || earlier?.isCall ?? false)
  }

  /// This update, with the words of `earlier` behind its own, and with details that it omits taken from `earlier`.
  package func joined(over earlier: AlertUpdate) -> AlertUpdate {
    let whole = over(earlier)
    return AlertUpdate(
      at: at, message: AlertMessage.joined(message, over: earlier.message), location: whole.location,
      accuracyMeters: whole.accuracyMeters, batteryPercent: whole.batteryPercent, isCall: whole.isCall)
  }

  /// Whether nothing is lost where this update takes the place of `earlier`: it has the same words, or that one has none, and it omits no
  /// detail that `earlier` has. A place may be a newer one.
  package func saysAll(of earlier: AlertUpdate) -> Bool {
    (earlier.message == nil || earlier.message == message) && over(earlier) == self
  }
}

/// The newest press after the one that raised the alert, in the server's order.
public struct NewestUpdate: Hashable, Sendable {
  /// The id of its mutation.
  public let id: MutationID
  /// Its details, with omitted ones taken from earlier updates.
  public let update: AlertUpdate

  /// Creates the press with this id.
  public init(id: MutationID, update: AlertUpdate) {
    self.id = id
    self.update = update
  }
}

/// The body of `alert.deactivate`.
public struct AlertDeactivation: Hashable, Sendable {
  /// By the ending device's clock.
  public let endedAt: Timestamp
  /// The newest update that the person could see when they ended the alert; empty if there was none. Nil from a device that
  /// does not support updates: its end always counts.
  ///
  /// The server does not end an alert if another device called for help again and this device had not seen it.
  public let seenUpdates: [MutationID]?

  /// An end at `endedAt`.
  public init(endedAt: Timestamp, seenUpdates: [MutationID]? = nil) {
    self.endedAt = endedAt
    self.seenUpdates = seenUpdates
  }
}

/// A device's request to notify an alert's responders. It follows its alert's mutation in the same exchange.
public struct NotificationRequest: Hashable, Sendable, Identifiable {
  /// Its idempotency key: the same however often it is sent.
  public let id: NotificationID
  /// The alert to tell them about.
  public let alertID: AlertID
  /// What to tell them.
  public let notice: Notice

  /// Creates a notification request.
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

import Model

/// An alert raised on this device, with the ids of everything that is queued for it.
struct RaisedAlert: Hashable, Sendable {
  let id: AlertID
  let mutationID: MutationID
  let notificationID: NotificationID
  let activation: AlertActivation
  let startedMonotonicMilliseconds: Int64
  /// The boot of that monotonic time; nil if unknown.
  let boot: String?

  init(
    id: AlertID, mutationID: MutationID, notificationID: NotificationID, activation: AlertActivation,
    startedMonotonicMilliseconds: Int64, boot: String? = nil
  ) {
    self.id = id
    self.mutationID = mutationID
    self.notificationID = notificationID
    self.activation = activation
    self.startedMonotonicMilliseconds = startedMonotonicMilliseconds
    self.boot = boot
  }

  init(_ draft: AlertDraft, at moment: Moment, random: @escaping @Sendable () -> (UInt64, UInt64)) {
    let identifiers = IdentifierSource(moment: moment, random: random)
    id = identifiers.next()
    mutationID = identifiers.next()
    notificationID = identifiers.next()
    activation = AlertActivation(
      startedAt: moment.wall, message: draft.message, location: draft.location, isDrill: draft.isDrill,
      utcOffsetMinutes: draft.utcOffsetMinutes, onlyContact: draft.onlyContact)
    startedMonotonicMilliseconds = moment.monotonicMilliseconds
    boot = moment.boot
  }

  var alert: Alert {
    Alert(
      id: id, startedAt: activation.startedAt, message: activation.message, location: activation.location,
      isDrill: activation.isDrill, onlyContact: activation.onlyContact)
  }

  /// The id of the update that it is for an alert that is active. The one of `mutation` is kept for the alert of its own that it may become;
  /// this one follows from it, so that all who send the update, and the store that takes it in, send the same.
  var updateID: MutationID {
    let (high, low) = mutationID.words
    return MutationID(words: (high, low ^ 0x2AAA_AAAA_AAAA_AAAA))
  }

  /// The same, with the words of `earlier` behind its own, and with the place of `earlier` if it has none.
  fileprivate func over(_ earlier: RaisedAlert) -> RaisedAlert {
    RaisedAlert(
      id: id, mutationID: mutationID, notificationID: notificationID,
      activation: AlertActivation(
        startedAt: activation.startedAt,
        message: AlertMessage.joined(activation.message, over: earlier.activation.message),
        location: activation.location ?? earlier.activation.location, isDrill: activation.isDrill,
        utcOffsetMinutes: activation.utcOffsetMinutes, onlyContact: activation.onlyContact),
      startedMonotonicMilliseconds: startedMonotonicMilliseconds, boot: boot)
  }

  var update: AlertUpdate {
    AlertUpdate(at: activation.startedAt, message: activation.message, location: activation.location)
  }

  var mutation: Mutation {
    Mutation(
      id: mutationID, entityID: EntityID(id), occurredAt: activation.startedAt, change: .activateAlert(activation))
  }

  var notification: NotificationRequest {
    NotificationRequest(id: notificationID, alertID: id, notice: .activated)
  }
}

extension [RaisedAlert] {
  /// One alert for these calls, which are ordered oldest first: that of the newest, with the words of all; nil if there is none.
  var asOne: RaisedAlert? {
    guard let newest = last else { return nil }
    return dropLast().reversed().reduce(newest) { $0.over($1) }
  }
}

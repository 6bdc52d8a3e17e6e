import Model

/// What a responder said of an alert in their inbox. It takes effect in the account of the person who raised it.
struct InboxReply: Sendable {
  enum Word: Sendable {
    case seen
    case answer(InboxAnswer)
  }

  var source: AccountAlert
  var word: Word
  /// When they said it, by the server's clock: it may have waited on a device without a network.
  var at: Timestamp
}

extension AccountWork {
  /// The alert in this account's inbox, if it can still be answered.
  mutating func reply(_ word: InboxReply.Word, to id: InboxID, at time: Timestamp) -> Result<InboxReply, InboxRefusal> {
    guard var stored = state.inboxAlert(id) else { return .failure(.unknown) }
    if let end = stored.alert.endedAt { return .failure(.ended(at: end)) }
    if case .answer(let answer) = word {
      guard !isFollowed(time, by: stored.alert.response?.at) else { return .failure(.older) }
      let age = now.milliseconds(since: time)
      if answer.answer.acknowledges, age >= AskingSchedule.lapseMilliseconds { return .failure(.lapsed) }
      stored.alert.response = InboxAlert.Response(answer, at: time)
      stored.alert.isAskedToConfirm = false
      state.setInboxAlert(stored, id)
      note(.inbox, EntityID(id))
    }
    return .success(InboxReply(source: stored.source, word: word, at: time))
  }

  /// Applies what the owner of the number `phone` said of alerts of this account. What has no effect, since the alert has ended or they are
  /// no responder any more, shows in their inbox as it is.
  mutating func take(_ replies: [InboxReply], from phone: String) {
    for reply in replies {
      let id = reply.source.alert
      // All at once: fetched one after the other they would take a round trip each.
      _ = (state.deliveries(of: id), state.responses(to: id), state.deliveryCount(of: id))
      let contacts = responders().filter { $0.details.phone == phone }
      guard let alert = state.alert(id) else { continue }
      let told = contacts.filter { alert.record.alert.isFor($0.id) }
      guard alert.record.alert.isActive, !told.isEmpty else {
        state.inboxDue.insert(id)
        continue
      }
      for contact in told { take(reply, of: contact, about: alert) }
    }
  }

  /// Whether an answer given at `time` is older than `known`, which they gave in another way. One from the future is from before the clock
  /// was set back, and holds up nothing.
  private func isFollowed(_ time: Timestamp, by known: Timestamp?) -> Bool {
    known.map { time < $0 && $0 <= now } ?? false
  }

  private mutating func take(_ reply: InboxReply, of contact: Contact, about alert: StoredAlert) {
    // In a drill each channel is answered for itself.
    let channel: Channel? = alert.record.alert.isDrill ? .inbox : nil
    switch reply.word {
    case .seen: noteSeen(alert, by: contact, through: channel)
    case .answer(let answer):
      guard !isFollowed(reply.at, by: state.response(of: contact.id, to: alert.id)?.at) else {
        state.inboxDue.insert(alert.id)
        return
      }
      let text = answer.text.flatMap(StoredResponse.line)
      take(answer.answer, text, of: contact, about: alert, through: channel, at: reply.at)
    }
  }
}

/// Why an alert in an inbox cannot be answered.
enum InboxRefusal: Error {
  case unknown
  case ended(at: Timestamp)
  /// They have said something since.
  case older
  /// It says that they come, and waited so long on their device that nobody may count on it.
  case lapsed
}

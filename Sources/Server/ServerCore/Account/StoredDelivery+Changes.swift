import Model

// What becomes of one message.
extension StoredDelivery {
  /// Whether the alert had another call since the message was last rendered, or has ended since.
  func isOutdated(by alert: StoredAlert) -> Bool {
    notice == .activated && (alert.record.alert.isActive ? toldCall < alert.updateCount : !toldEnd)
  }

  /// Has it say nothing of the person with the contact's new number. What devices show as sent was sent to the earlier one.
  mutating func leaveToEarlierPerson() {
    if isShownAsSent { finish(.sent, at: stateAt) }
    isDropped = false
    reason = Receipt.numberChangedReason
  }

  /// Whether its contact got another number while it was on its way: it arrives at the earlier one, or nowhere.
  var isForEarlierNumber: Bool { isDropped && reason == Receipt.numberChangedReason }

  /// Whether its contact got another number meanwhile, and devices show a message to the earlier one.
  var isOfNewNumber: Bool { isForEarlierNumber && isShownAsSent }

  /// It failed before the first attempt.
  var wasNeverTried: Bool { state == .failed && attempts == 0 }

  /// Undoes a drop. An attempt that is under way continues. A message beside the news that was told remembers when.
  mutating func queueAgain(at time: Timestamp?, now: Timestamp) {
    let remembersTime = isShownAsSent || role != .news && state.isTold && !isOfEarlierNumber
    isDropped = false
    reason = nil
    dueAt = time
    guard state != .queued else { return }
    state = .queued
    // Where the clock was set back since, still before it is queued: that shows that it was sent.
    stateAt = remembersTime ? min(stateAt, now.advanced(byMilliseconds: -1)) : now
    createdAt = now
    refusals = 0
  }

  /// Takes it out of the queue.
  mutating func finish(_ state: DeliveryState, reason: String? = nil, at time: Timestamp) {
    if state.isTold || !isShownAsSent { stateAt = time }
    self.state = state
    self.reason = reason
    dueAt = nil
    isLeased = false
  }
}

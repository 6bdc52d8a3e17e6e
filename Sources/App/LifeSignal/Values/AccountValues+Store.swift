import AppModel
import DeviceCore
import LocalStore
import Model
import Wire

// What the store, and the server, know of the account, as the person sees it.

extension User {
  init(_ session: Session, _ profile: StoredProfile?) {
    self.init(
      id: session.accountID, phoneNumber: session.phone, isSessionExpired: session.isExpired,
      name: profile?.profile.name)
  }
}

extension SavedContact {
  init(_ stored: StoredContact) {
    let tested = stored.tested.without(stored.failed)
    let channels = stored.contact.details.channels
    self.init(
      contact: stored.contact, isPending: stored.isPending,
      testedChannels: channels.filter { channel in tested.contains { $0.url == channel.url } },
      failedChannels: channels.filter { channel in stored.failed.contains { $0.url == channel.url } })
  }
}

extension SentCode {
  init(_ pending: PendingVerification) {
    self.init(
      id: pending.verificationID, phone: pending.phone, expiresAt: pending.expiresAt.date,
      resendAt: pending.resendAt.date)
  }
}

extension DeviceSession {
  init(_ entry: SessionEntry) {
    self.init(
      id: entry.id.description, deviceName: entry.deviceName, createdAt: entry.createdAt.date,
      lastSeenAt: entry.lastSeenAt?.date, isCurrent: entry.isCurrent, isAlertKeyOnly: entry.isAlertKeyOnly)
  }
}

extension QueuedItem {
  init(_ item: QueueItem) {
    self.init(
      id: item.id, kind: item.kind, createdAt: item.createdAt.date, attempts: item.attempts,
      nextAttemptAt: item.nextAttemptAt?.date, lastError: item.lastError,
      refusal: item.parked.map { Refusal(at: $0.at.date, code: $0.code, message: $0.message) })
  }
}

extension SignOutLosses {
  init(_ agreement: SignOutAgreement) {
    self.init(
      Token(
        itemIDs: agreement.queuedIDs, activeAlerts: agreement.activeAlerts,
        removesSetAsideStores: agreement.removesSetAsideStores),
      alertCount: agreement.counts.alerts, contactCount: agreement.counts.contacts,
      otherCount: agreement.counts.rest)
  }
}

extension SignOutAgreement {
  /// What the person has accepted; nil where no device counted it.
  init?(_ losses: SignOutLosses) {
    guard let token = losses.token else { return nil }
    self.init(
      queuedIDs: token.itemIDs, activeAlerts: token.activeAlerts, removesSetAsideStores: token.removesSetAsideStores)
  }
}

import AppModel
import DeviceCore
import LocalStore
import Model

extension AlertSnapshot {
  /// What the store knows, or what the spool does where the store cannot be read.
  init(_ status: AlertStatus, storeProblem: String? = nil) {
    let alert = status.alert
    self.init(
      isActive: alert?.isActive ?? false, startTime: alert?.startedAt.date, endTime: alert?.endedAt?.date,
      isDrill: alert?.isDrill ?? false, alertID: alert?.id, message: alert?.message, location: alert?.location,
      delivery: AlertDelivery(status), connection: ConnectionStatus(status.sync), storeProblem: storeProblem)
    toEnd = status.toEnd
    otherActive = status.otherActive.map { other in
      ActiveAlert(
        id: other.alert.id, startTime: other.alert.startedAt.date,
        message: other.newestUpdate?.message ?? other.alert.message)
    }
  }
}

extension AlertDelivery {
  fileprivate init?(_ status: AlertStatus) {
    guard let alert = status.alert else { return nil }
    let calledAt = status.newestPressAt ?? alert.startedAt
    self.init(
      savedAt: alert.startedAt.date, calledAt: calledAt.date, acceptedAt: status.acceptedAt?.date,
      isLate: status.acceptedAt.map { Alert.isLate(calledAt: calledAt, receivedAt: $0) } ?? false,
      responders: status.responders.map(ResponderDelivery.init),
      safeNotices: status.safeReceipts.map(ResponderDelivery.init),
      nobodyIsTold: status.nobodyIsTold?.reason, isSaved: status.isSaved)
    mayBeToldByApp = status.nobodyIsTold?.isCertain == false
  }
}

extension ResponderDelivery {
  fileprivate init(_ receipt: Receipt) {
    self.init(
      id: receipt.id, name: receipt.contactName, channel: receipt.channel.rawValue, state: receipt.state,
      at: receipt.at.date, reason: receipt.reason)
  }
}

extension ConnectionStatus {
  fileprivate init(_ sync: SyncOverview) {
    self.init(
      isSignedIn: sync.signedIn, isSessionExpired: sync.isSessionExpired,
      pendingCount: sync.pending + sync.unsentOutside, parkedCount: sync.parked,
      lastSuccessAt: sync.lastSuccessAt?.date, nextAttemptAt: sync.nextAttemptAt?.date, lastError: sync.lastError)
  }
}

import DeviceCore
import LocalStore

extension LifeSignalClient {
  /// How the newest alert stands: now, and again whenever this or another process changed it.
  func alertSnapshots() -> AsyncStream<AlertSnapshot> {
    observe { [self] () throws(LocalStoreError) in
      let status = try readStatus()
      return Reading(value: AlertSnapshot(status), isLast: status.storeError != nil)
    }
  }
}

extension AlertSnapshot {
  fileprivate init(_ status: DeviceStatus) {
    self.init(
      isActive: status.alert?.isActive ?? false, startTime: status.alert?.startedAt.date,
      endTime: status.alert?.endedAt?.date, isDrill: status.alert?.isDrill ?? false, delivery: AlertDelivery(status),
      connection: ConnectionStatus(status.sync))
  }
}

extension AlertDelivery {
  fileprivate init?(_ status: DeviceStatus) {
    guard let alert = status.alert else { return nil }
    self.init(
      savedAt: alert.startedAt.date, acceptedAt: status.acceptedAt?.date,
      isLate: status.acceptedAt.map(alert.isLate(receivedAt:)) ?? false,
      responders: status.responders.map(ResponderDelivery.init),
      safeNotices: status.safeNotices.map(ResponderDelivery.init), nobodyIsTold: status.nobodyIsTold,
      isSaved: status.isSaved)
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
  fileprivate init(_ sync: SyncStatus) {
    self.init(
      isSignedIn: sync.isSignedIn, isSessionExpired: sync.isSessionExpired, pendingCount: sync.pending,
      parkedCount: sync.parked, lastSuccessAt: sync.lastSuccessAt?.date, nextAttemptAt: sync.nextAttemptAt?.date,
      lastError: sync.lastError)
  }
}

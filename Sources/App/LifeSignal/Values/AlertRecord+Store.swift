import AppModel
import LocalStore
import Model

extension AlertRecord {
  /// An alert of the history. All alerts of a device are of the account that is signed in, or of nobody.
  init(_ entry: HistoryEntry, userId: String) {
    self.init(entry.alert, stage: entry.stage, isDiscarded: entry.isDiscarded, userId: userId)
  }

  init(_ alert: Model.Alert, stage: DeliveryStage, isDiscarded: Bool = false, userId: String) {
    self.init(
      id: alert.id, startTime: alert.startedAt.date, endTime: alert.endedAt?.date, userId: userId,
      isActive: alert.isActive && !isDiscarded, stage: stage, isDiscarded: isDiscarded, isDrill: alert.isDrill,
      message: alert.message, location: alert.location)
  }
}

extension RaisedAlert {
  init(_ activation: Activation) {
    self.init(
      id: activation.alert.id, startTime: activation.alert.startedAt.date, wasActiveBefore: activation.alreadyActive,
      isSpooled: activation.isSpooled)
  }
}

package import Model

/// What a person is told right after a press that the store took.
package struct PressReport: Sendable {
  /// `accepted` if the server has the press already, as it may where it updates an alert that was active.
  package let stage: DeliveryStage
  /// Why the alert reaches nobody; nil if it may reach somebody.
  package let nobodyIsTold: NobodyIsTold?
  /// Whether an alert would reach anybody; nil if that cannot be read.
  package let readiness: Readiness?

  package init(stage: DeliveryStage, nobodyIsTold: NobodyIsTold?, readiness: Readiness?) {
    self.stage = stage
    self.nobodyIsTold = nobodyIsTold
    self.readiness = readiness
  }
}

extension LocalStore {
  /// The report of a press that `activateAlert` has stored, as of one moment.
  package func pressReport(of press: Activation) throws(LocalStoreError) -> PressReport {
    let hasServer = hasServer
    return try file.read { reading in
      // Of an alert that is new, the server knows nothing yet.
      let acceptedAt = press.alreadyActive ? try reading.progress(of: press.press)?.acceptedAt : nil
      let receipts = press.alreadyActive ? try reading.receipts(of: press.alert.id) : []
      return PressReport(
        stage: acceptedAt == nil ? .saved : .accepted,
        nobodyIsTold: try reading.nobodyIsTold(receipts: receipts.filter { $0.notice == .activated }),
        readiness: try reading.readiness(hasServer: hasServer))
    }
  }
}

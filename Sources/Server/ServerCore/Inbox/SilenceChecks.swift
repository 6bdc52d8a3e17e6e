import Model

// Notes that devices of active alerts have fallen silent, so that the copies in inboxes say so.
extension ServerCore {
  /// Others wait for the writer meanwhile.
  private static let checkedWithOneClaim = 32

  /// Checks the devices that are due, a few with each claim. Nobody hears of one that speaks.
  func checkForSilence(
    into claims: inout ClaimedDeliveries, _ moment: ServerMoment, _ transaction: any ServerTransaction
  ) throws(StorageError) {
    let due = try transaction.alertsToCheckForSilence(
      dueAt: moment.now, orAfter: latestSilenceCheck(at: moment.now), limit: Self.checkedWithOneClaim)
    for source in due {
      do throws(StorageError) {
        try checkForSilence(about: source, moment, transaction)
      } catch let error where error.code == .unreadableValue {
        // It does not hold up those of others. When it can be written into an inbox again, the checks begin again.
        try transaction.endSilenceChecks(of: source)
        claims.unreadableAlerts.append(source.alert)
      }
    }
  }

  private func checkForSilence(
    about source: AccountAlert, _ moment: ServerMoment, _ transaction: any ServerTransaction
  ) throws(StorageError) {
    var needs = FactNeeds()
    needs.alerts = [source.alert]
    _ = try transaction.decide(about: source.account, needs: needs) { state in
      AccountWork(
        configuration: configuration, now: moment.now, state: state,
        entropy: moment.entropy.stream(for: "silence of \(source.alert)"))
    } rules: { work in
      work.checkForSilence(about: source.alert)
      work.finish()
    }
  }

  /// A later check was written before the clock was set back.
  func latestSilenceCheck(at now: Timestamp) -> Timestamp {
    now.advanced(byMilliseconds: Supervision.silenceMilliseconds + 1)
  }
}

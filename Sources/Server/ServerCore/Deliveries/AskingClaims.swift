import Model
import PlantedBugs

// Asking responders again, with the claims of messages.
extension ServerCore {
  /// Queues the messages of the alerts about which responders are to be asked again, a few with each claim.
  func askAgain(
    into claims: inout ClaimedDeliveries, _ moment: ServerMoment, _ transaction: any ServerTransaction
  ) throws(StorageError) {
    let due = try transaction.alertsToAskAbout(
      dueAt: moment.now, orAfter: latestAsking(at: moment.now), limit: Self.askedWithOneClaim)
    for asked in due {
      do throws(StorageError) {
        if try askAgain(about: asked, moment, transaction) { claims.note([asked.account]) }
      } catch let error where error.code == .unreadableValue {
        // It does not hold up those of others.
        let later = moment.now.advanced(byMilliseconds: Self.unreadableAskingMilliseconds)
        try transaction.postponeAsking(about: asked, to: later)
        claims.unreadableAlerts.append(asked.alert)
      }
    }
  }

  /// Returns whether devices need to hear of a change.
  private func askAgain(
    about asked: AccountAlert, _ moment: ServerMoment, _ transaction: any ServerTransaction
  ) throws(StorageError) -> Bool {
    var needs = FactNeeds()
    needs.alerts = [asked.alert]
    needs.contacts = true
    needs.deliveriesOfAlerts = [asked.alert]
    needs.deliveryCounts = [asked.alert]
    needs.responses = [asked.alert]
    return try transaction.decide(about: asked.account, needs: needs) { state in
      AccountWork(
        configuration: configuration, now: moment.now, state: state,
        entropy: moment.entropy.stream(for: "asking about \(asked.alert)"))
    } rules: { work in
      work.ask(about: asked.alert)
      let hasChanges = work.hasChanges
      work.finish()
      return hasChanges
    }.result
  }

  /// Others wait for the writer meanwhile.
  private static let askedWithOneClaim = 8
  /// When an alert of which something cannot be read is tried again.
  private static let unreadableAskingMilliseconds: Int64 = 600_000

  /// A later step of the asking was written before the clock was set back.
  func latestAsking(at now: Timestamp) -> Timestamp {
    if PlantedBug.waitsByWallClock.isPlanted { return Self.endOfTime }
    return now.advanced(byMilliseconds: AskingSchedule.lapseMilliseconds)
  }
}

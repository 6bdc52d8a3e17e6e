import Model
import ServerCore
import ServerStoreSQLite
import Wire

/// A year after the run: the server forgets what it no longer keeps, and then everything about alerts that devices ever sent arrives once
/// more. In some of the runs in which the server was never restored.
///
/// Of active alerts nothing may be missing, and of those that ended nothing may be left that is not kept. What arrives again raises nothing,
/// makes nothing active, and tells nobody.
struct YearLater {
  private static let milliseconds: Int64 = 400 * 86_400_000

  let world: World
  let server: SimulatedServer

  func run() {
    var random = world.random("a year later")
    guard random.chance(0.2), server.isUp, server.restores == 0 else { return }
    do {
      _ = try server.alone { core, store in
        let before = try alerts(in: store)
        try forget(core, store)
        let after = try alerts(in: store)
        compare(before, after)
        try replay(core, store)
        compareAfterReplay(after, try alerts(in: store))
        world.note("server", "has forgotten \(after.values.count { $0.alert.forgotten == .content }) alerts")
      }
    } catch {
      world.oracle.findings.add(.nothingLost, "a year later the server fails: \(error)", at: world.now)
    }
  }

  private func moment() -> ServerMoment {
    var moment = server.moment()
    moment.now = moment.now.advanced(byMilliseconds: Self.milliseconds)
    return moment
  }

  /// An alert with its messages.
  private struct Held {
    var alert: StoredAlert
    var messages: [StoredDelivery]
    /// It is to be written into inboxes.
    var isDue: Bool
  }

  private func alerts(in store: SQLiteServerStore) throws -> [AccountAlert: Held] {
    try store.read { transaction in
      var held: [AccountAlert: Held] = [:]
      let due = Set(try transaction.alertsToPost(limit: .max))
      for account in server.knownAccounts {
        for alert in try transaction.alerts(of: account, activeOnly: false, before: nil, limit: 100_000) {
          let key = AccountAlert(account: account, alert: alert.id)
          held[key] = Held(
            alert: alert, messages: try transaction.deliveries(of: alert.id, account: account),
            isDue: due.contains(key))
        }
      }
      return held
    }
  }

  private func forget(_ core: ServerCore, _ store: SQLiteServerStore) throws {
    for _ in 1...10_000 where try !core.removeExpired(limit: 20, at: moment(), in: store).hasMore { return }
    world.oracle.findings.add(.bounded, "forgetting never ends", at: world.now)
  }

  private func compare(_ before: [AccountAlert: Held], _ after: [AccountAlert: Held]) {
    for (key, held) in before {
      guard let rest = after[key] else {
        world.oracle.findings.add(.nothingLost, "alert \(key.alert) was removed", at: world.now)
        continue
      }
      let isNeeded =
        held.alert.record.alert.isActive || held.isDue || held.messages.contains { $0.state == .queued }
      if isNeeded, rest.alert != held.alert || rest.messages != held.messages {
        world.oracle.findings.add(
          .nothingLost, "something was forgotten of alert \(key.alert), which is needed", at: world.now)
      } else if !isNeeded, rest.alert.forgotten != .content || !rest.messages.isEmpty || rest.alert.saysSomething {
        world.oracle.findings.add(.bounded, "alert \(key.alert) is kept whole", at: world.now)
      }
    }
  }

  private func replay(_ core: ServerCore, _ store: SQLiteServerStore) throws {
    for exchange in server.exchanges {
      for key in server.alertKeys(of: exchange.account) {
        let request = ServerRequest(
          method: "POST", path: Route.sync, authorization: "Bearer \(key)", contentType: "application/json",
          body: exchange.body, remoteAddress: "198.51.100.2")
        if core.respond(to: request, at: moment(), in: store).response.status == 200 { break }
      }
    }
  }

  private func compareAfterReplay(_ before: [AccountAlert: Held], _ after: [AccountAlert: Held]) {
    for (key, held) in after {
      guard let earlier = before[key] else {
        world.oracle.findings.add(.once, "an old request raised alert \(key.alert)", at: world.now)
        continue
      }
      if held.alert.record.alert.isActive, !earlier.alert.record.alert.isActive {
        world.oracle.findings.add(.order, "an old request made alert \(key.alert) active", at: world.now)
      }
      if earlier.alert.forgotten != nil, !held.messages.isEmpty {
        world.oracle.findings.add(.once, "an old request tells of alert \(key.alert) again", at: world.now)
      }
    }
  }
}

extension StoredAlert {
  fileprivate var saysSomething: Bool { record.newestMessage != nil || record.newestLocation != nil }
}

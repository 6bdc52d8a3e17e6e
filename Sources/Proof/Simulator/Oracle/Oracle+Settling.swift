package import LocalStore
import Model
import ServerCore
package import ServerStoreSQLite

extension Oracle {
  /// What still differs from the required end state, one line each: devices that differ from their account, alerts that are
  /// neither on the server nor visibly waiting, responders who were not told. Empty if settled.
  /// - Parameter devices: the open stores, by device number.
  package func unsettled(
    _ devices: [(number: Int, store: LocalStore)], _ server: SQLiteServerStore, now: Int64
  ) -> [String] {
    open(devices, server, now: now).map { "\($0.promise.rawValue): \($0.text)" }
  }

  /// The time to settle is over: whatever is unsettled is now a violation.
  package func finish(_ devices: [(number: Int, store: LocalStore)], _ server: SQLiteServerStore, now: Int64) {
    for matter in open(devices, server, now: now) { findings.add(matter.promise, matter.text, at: now) }
    checkResults(server, now: now)
  }

  private func open(
    _ devices: [(number: Int, store: LocalStore)], _ store: SQLiteServerStore, now: Int64
  ) -> [OpenMatter] {
    var matters: [OpenMatter] = []
    var views: [Int: DeviceView] = [:]
    for (number, device) in devices.sorted(by: { $0.number < $1.number }) {
      views[number] = view(of: device, number, now: now)
      if views[number] == nil {
        matters.append(OpenMatter(.durable, "the store of device \(number) cannot be read"))
      }
    }
    do {
      let held = try ServerView(store, accounts(views))
      matters += ConvergenceChecks(server: server, held: held).matters
      for number in deviceNumbers {
        guard let view = views[number] ?? self[number].lastView else { continue }
        matters += ConvergenceChecks(server: server, held: held).matters(of: view, self[number])
        matters += CallChecks(view: view, ledger: self[number], server: server).matters
        matters += FateChecks(server: server, owners: owners, view: view, ledger: self[number]).matters
      }
      matters += DeliveryChecks(server: server, held: held, responders: responders).matters
      PressChecks(held: held, presses: presses).run(now: now, &findings)
    } catch {
      matters.append(OpenMatter(.durable, "the server's store cannot be read: \(error)"))
    }
    return matters
  }

  /// Checks what was seen and acknowledged once more.
  package func checkPresses(_ store: SQLiteServerStore, now: Int64) {
    guard let held = try? ServerView(store, server.accountIDs) else { return }
    PressChecks(held: held, presses: presses).run(now: now, &findings)
  }

  private func accounts(_ views: [Int: DeviceView]) -> [AccountID] {
    let signedIn = views.values.compactMap { $0.session?.accountID }
    return Set(signedIn + server.accountIDs).sorted { $0.words < $1.words }
  }

  /// Applied items must be remembered, or a replay would apply them again.
  private func checkResults(_ store: SQLiteServerStore, now: Int64) {
    for account in server.accountIDs {
      let forgotten = try? store.read { transaction in
        try server[account].appliedInOrder.filter { id in
          try MutationID(id).map { try transaction.result(of: $0, account: account) == nil } ?? false
        }
      }
      for id in forgotten ?? [] {
        findings.add(.once, "the server forgot that it applied \(id) of account \(account)", at: now)
      }
    }
  }
}

/// Something that is not yet as it has to be at the end.
struct OpenMatter {
  let promise: Violation.Promise
  let text: String

  init(_ promise: Violation.Promise, _ text: String) {
    self.promise = promise
    self.text = text
  }
}

/// What the server's store holds of each account, and its messages to responders.
struct ServerView {
  /// In the order in which the server received them.
  private(set) var alerts: [AccountID: [Alert]] = [:]
  private(set) var contacts: [AccountID: [Contact]] = [:]
  private(set) var deliveries: [AlertID: [StoredDelivery]] = [:]
  /// The number of waiting messages.
  private(set) var openDeliveries: [AccountID: Int] = [:]

  init(_ store: SQLiteServerStore, _ accounts: [AccountID]) throws {
    try store.read { transaction in
      for account in accounts {
        let stored = try transaction.alerts(of: account, activeOnly: false, before: nil, limit: 100_000)
        alerts[account] = stored.reversed().map(\.record.alert)
        contacts[account] = try transaction.contacts(of: account)
        openDeliveries[account] = try transaction.openDeliveryCount(account: account)
        for alert in stored {
          deliveries[alert.id, default: []] += try transaction.deliveries(of: alert.id, account: account)
        }
      }
    }
  }
}

import LocalStore
import Model

// Whose data a device holds as people sign in and out.
extension Oracle {
  /// Rows saved before any sign-in now belong to the account. Rows of another account are removed; the store refuses that while
  /// any of them is queued.
  func signIn(_ account: AccountID, on device: Int) {
    owners.signedIn(account, on: device)
    self[device].account = account
    var isAnother = false
    let ledger = self[device]
    for told in ledger.toldAlerts {
      guard let owner = told.account else {
        self[device].change(told.alert.id) { $0.account = account }
        continue
      }
      guard !owners.areOnePerson(owner, account) else { continue }
      isAnother = true
      // The store says that nothing of it was queued; the end of the run shows whether the server had all of it.
      self[device].release(
        told.alert.id, isAgreed: ledger.isGivenUpWithCarrier(told), carriage: ledger.carriage(of: told))
    }
    if isAnother || !isLastAccount(account, on: device) { self[device].forgetViews() }
    self[device].lastAccount = account
  }

  private func isLastAccount(_ account: AccountID, on device: Int) -> Bool {
    self[device].lastAccount.map { owners.areOnePerson($0, account) } ?? true
  }

  /// Removes the account's data, apart from alerts that became active, and items that were queued, after the person agreed.
  func signOut(_ agreement: SignOutAgreement, on device: Int) {
    let ledger = self[device]
    self[device].account = nil
    self[device].givenUp.formUnion(agreement.queuedIDs)
    for told in ledger.toldAlerts {
      let id = told.alert.id
      let isAgreed = ledger.lastQueued(of: EntityID(id)).allSatisfy { item in
        agreement.queuedIDs.contains(item) || server.history.answeredIDs.contains(item) || ledger.givenUp.contains(item)
          || server.history.wasRestored  // offered again under another id
      }
      let isKept = isActive(told, ledger) && !isCarried(told, agreement, ledger)
      guard isAgreed, agreement.activeAlerts.contains(id) || !isKept else { continue }
      self[device].release(id, isAgreed: true)
    }
    self[device].forgetViews()
  }

  /// Whether another alert carries the call: it was in the spool, and is no alert of its own now that the spool is empty.
  private func isCarried(
    _ told: DeviceLedger.ToldAlert, _ agreement: SignOutAgreement, _ ledger: DeviceLedger
  ) -> Bool {
    let id = told.alert.id
    if ledger.lastView?.carried[id] != nil { return true }
    let isInStore = ledger.lastView?.entriesByID[id] != nil && ledger.lastView?.spooled.contains(id) == false
    return !isInStore && !agreement.activeAlerts.contains(id)
  }

  private func isActive(_ told: DeviceLedger.ToldAlert, _ ledger: DeviceLedger) -> Bool {
    let id = told.alert.id
    return !told.isEnded && !told.isDiscarded && !ledger.seenEnded.contains(id)
      && !server.history.everEnded(id)
  }
}

import LocalStore
import Model

/// Checks what became of each alert raised and each contact saved on one device (I5).
struct FateChecks {
  let server: ServerModel
  let owners: Owners
  let view: DeviceView
  let ledger: DeviceLedger

  var matters: [OpenMatter] {
    ledger.toldAlerts.filter(\.isRaisedHere).compactMap { matter(ofHeld: $0) }
      + ledger.released.compactMap { matter(ofReleased: $0) }
      + ledger.contacts.keys.sorted { $0.words < $1.words }.compactMap { matter(of: $0) }
  }

  /// An alert that the device still holds.
  private func matter(ofHeld told: DeviceLedger.ToldAlert) -> OpenMatter? {
    let id = told.alert.id
    let entity = EntityID(id)
    if isOnServer(id, told.account) || told.isDiscarded || view.isParked(entity) { return nil }
    // Another alert carries the call.
    if view.isCarried(told) { return nil }
    // Without a valid session it stays saved, and is shown as saved.
    let isVisible = view.spooled.contains(id) || view.isQueued("alert.activate", entity)
    if isVisible { return view.isOnline ? missing(id, "still waits there to be sent") : nil }
    // A restore took it back, and a device that is offline cannot know.
    if !view.isOnline, server.history.everApplied("alert.activate", entity) { return nil }
    return missing(id, "is neither queued there nor on the server")
  }

  private func missing(_ id: AlertID, _ state: String) -> OpenMatter {
    OpenMatter(.nothingLost, "alert \(id), raised on device \(ledger.number), \(state)")
  }

  /// An alert whose rows were removed from the device: the server had it or the call in another alert, or its person agreed to
  /// lose it.
  private func matter(ofReleased released: DeviceLedger.Released) -> OpenMatter? {
    let told = released.alert
    let id = told.alert.id
    if released.isAgreed || told.isDiscarded || isOnServer(id, told.account) { return nil }
    if let carriage = released.carriage, isHeard(told, carriage) { return nil }
    if server.history.everApplied("alert.activate", EntityID(id)) {
      return server.history.wasRestored ? nil : missing(id, "was accepted by the server, which lost it")
    }
    return missing(id, "was removed there, and the server never had it")
  }

  /// Whether the server ever received a call that left the spool and met an active alert: as an update of that alert, or in the
  /// alert made of it and others. Calls that wait together become one update, with the newest words.
  private func isHeard(_ told: DeviceLedger.ToldAlert, _ carriage: DeviceLedger.Carriage) -> Bool {
    if carriage.isDrillBesideReal { return true }
    if let message = told.alert.message, server.history.heardMessages.contains(message) { return true }
    if let raising = carriage.anew.flatMap({ server.history.raisings[$0] }), isLater(raising, told) { return true }
    return server.history.calls.contains { alert, calls in
      isOfOnePerson(alert, told) && calls.contains { $0.isCall && isLater($0, told) }
    }
  }

  /// Made on this device, and applied by the server since the person was told.
  private func isLater(_ call: ServerHistory.Call, _ told: DeviceLedger.ToldAlert) -> Bool {
    call.device == view.deviceID && call.step > told.step
  }

  private func isOfOnePerson(_ alert: AlertID, _ told: DeviceLedger.ToldAlert) -> Bool {
    guard let holder = server.history.alertAccounts[alert],
      let owner = owners.account(of: EntityID(told.alert.id)) ?? told.account
    else { return false }
    return owners.areOnePerson(owner, holder)
  }

  /// A restore took the contact back, and this device, the last to change it, was online to offer it again.
  private func matter(of id: ContactID) -> OpenMatter? {
    // A change that was rejected meanwhile, for example because the account is full, shows as parked.
    guard view.isOnline, !view.isParked(EntityID(id)), let account = view.session?.accountID,
      let told = ledger.contacts[id], let states = server.history.contactStates[id],
      let taken = states.firstIndex(where: { $0.step > told.step && $0.details == told.details }),
      states[(taken + 1)...].allSatisfy(\.isByRestore)
    else { return nil }
    return matter(of: id, told, server[account].contacts[id]?.details)
  }

  private func matter(
    of id: ContactID, _ told: DeviceLedger.ToldContact, _ held: ContactDetails?
  ) -> OpenMatter? {
    guard (held == nil) != (told.details == nil) else { return nil }
    return OpenMatter(
      .nothingLost,
      "contact \(id) was left as \(told.details.line) on device \(ledger.number) before the restore, and is \(held.line) now"
    )
  }

  private func isOnServer(_ id: AlertID, _ account: AccountID?) -> Bool {
    let owner = owners.account(of: EntityID(id)) ?? account
    return server.accountIDs.contains { holder in
      server[holder].alerts[id] != nil && (owner.map { owners.areOnePerson($0, holder) } ?? true)
    }
  }
}

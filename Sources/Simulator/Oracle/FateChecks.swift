import LocalStore
import Model

/// What became of each alert that was raised on one device, and of each contact that was put there (I5).
struct FateChecks {
  let server: ServerModel
  let owners: Owners
  let view: DeviceView
  let ledger: DeviceLedger

  var matters: [OpenMatter] {
    ledger.toldAlerts.filter(\.isRaisedHere).compactMap { matter(ofHeld: $0) }
      + ledger.released.compactMap { matter(ofReleased: $0.alert, isAgreed: $0.isAgreed) }
      + ledger.contacts.keys.sorted { $0.description < $1.description }.compactMap { matter(of: $0) }
  }

  /// An alert of which the device still has the row.
  private func matter(ofHeld told: DeviceLedger.ToldAlert) -> OpenMatter? {
    let id = told.alert.id
    let entity = EntityID(id)
    if isOnServer(id, told.account) || told.isDiscarded || view.isParked(entity) { return nil }
    // Another alert carries the call.
    if view.isCarried(told) { return nil }
    // Not signed in, or not any more: it is saved, and shows as that.
    let isVisible = view.spooled.contains(id) || view.isQueued("alert.activate", entity)
    if isVisible { return view.isOnline ? missing(id, "waits there to be sent") : nil }
    // The server was restored to before it, and the device cannot know: it hears nothing.
    if !view.isOnline, server.history.everApplied("alert.activate", entity) { return nil }
    return missing(id, "is neither queued there nor on the server")
  }

  private func missing(_ id: AlertID, _ state: String) -> OpenMatter {
    OpenMatter(.nothingLost, "alert \(id), raised on device \(ledger.number), \(state)")
  }

  /// An alert whose data was removed from the device. The server had it, or its person had agreed.
  private func matter(ofReleased told: DeviceLedger.ToldAlert, isAgreed: Bool) -> OpenMatter? {
    let id = told.alert.id
    if isAgreed || told.isDiscarded || isOnServer(id, told.account) { return nil }
    if server.history.everApplied("alert.activate", EntityID(id)) {
      return server.history.wasRestored ? nil : missing(id, "was taken by the server, which has lost it")
    }
    return missing(id, "was removed there, and the server never had it")
  }

  /// A restore took it back, and this device, which put or removed it last, was there to say so again.
  private func matter(of id: ContactID) -> OpenMatter? {
    // Refused meanwhile, as where others have filled the account: it shows as that.
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
      "contact \(id), left as \(told.details.line) on device \(ledger.number) before the restore, is \(held.line) now")
  }

  private func isOnServer(_ id: AlertID, _ account: AccountID?) -> Bool {
    let owner = owners.account(of: EntityID(id)) ?? account
    return server.accountIDs.contains { holder in
      server[holder].alerts[id] != nil && (owner.map { owners.areOnePerson($0, holder) } ?? true)
    }
  }
}

import Model
import SQLiteKit

extension StoreReading {
  /// Why a call for help reaches nobody. Nil if it may reach somebody, and if this device does not know the account's contacts yet.
  ///
  /// - Parameter receipts: of the call for help.
  func nobodyIsTold(receipts: [Receipt]) throws -> NobodyIsTold? {
    // A responder who was removed since gets no further messages.
    let present = receipts.isEmpty ? [] : receipts.without(try removedResponders())
    if !present.isEmpty {
      guard present.allSatisfy({ $0.state == .failed }) else { return nil }
      let gaps = present.filter { $0.channel == .noChannel }
      // Such a contact is told by the app next, in their inbox.
      let isAnyAppUser = try !gaps.isEmpty && !appUsers().isDisjoint(with: gaps.map(\.contactID))
      return isAnyAppUser ? nil : .unreachable
    }
    guard try value(of: .cursor) != nil else { return nil }
    let responders = try rows(
      """
      SELECT id, channels, EXISTS (
        SELECT 1 FROM pending_mutations m WHERE m.entity_id = contacts.id AND m.parked_at IS NOT NULL)
        AND server_state IS NULL AS is_refused
      FROM contacts WHERE is_responder = 1 AND is_removed = 0
      """
    ) { row in
      let urls = try row["channels", as: String.self].split(separator: "\n")
      // One that cannot be read reaches nobody.
      let channels = urls.compactMap { try? Channel(foreign: String($0)) }
      return (
        id: try row["id", as: ContactID.self], channels: channels, isRefused: try row["is_refused", as: Bool.self]
      )
    }
    if responders.isEmpty { return .noResponders }
    if responders.allSatisfy(\.isRefused) { return .refused }
    let known = responders.filter { !$0.isRefused }
    let kinds = try serverChannels()
    if known.contains(where: { $0.channels.contains(where: kinds.canServe) }) { return nil }
    if try !appUsers().isDisjoint(with: known.map(\.id)) { return nil }
    return known.allSatisfy(\.channels.isEmpty) ? .noChannel : .unsupported
  }

  private func removedResponders() throws -> Set<String> {
    Set(
      try rows("SELECT id FROM contacts WHERE is_responder = 0 OR is_removed = 1") { row in
        try row["id", as: String.self]
      })
  }

  /// The contacts whom the server told by the app before: they use LifeSignal themselves, and need no channel for it.
  func appUsers() throws -> Set<ContactID> {
    Set(
      try rows("SELECT DISTINCT contact_id FROM receipts WHERE channel = 'app' AND state <> 'failed'") { row in
        try row["contact_id", as: ContactID.self]
      })
  }
}

extension [Receipt] {
  fileprivate func without(_ contacts: Set<String>) -> Self { filter { !contacts.contains($0.contactID.description) } }
}

import Model
import SQLiteKit

extension Connection {
  /// Why a call for help reaches nobody. Nil where it may reach somebody, and where this device has not heard of the account's
  /// contacts yet.
  ///
  /// - Parameter receipts: of the call for help.
  func nobodyIsTold(receipts: [Receipt]) throws -> NobodyIsTold? {
    let removed = Set(
      try statement("SELECT id FROM contacts WHERE is_responder = 0 OR is_removed = 1").all { $0.text(0) })
    // Whoever was told before they were removed hears nothing more.
    let present = receipts.filter { !removed.contains($0.contactID.description) }
    if !present.isEmpty { return present.allSatisfy { $0.state == .failed } ? .unreachable : nil }
    guard try value(of: .cursor) != nil else { return nil }
    let responders = try statement(
      """
      SELECT channels <> '', EXISTS (
        SELECT 1 FROM pending_mutations m WHERE m.entity_id = contacts.id AND m.parked_at IS NOT NULL)
        AND server_state IS NULL
      FROM contacts WHERE is_responder = 1 AND is_removed = 0
      """
    ).all { (hasChannel: $0.boolean(0), isRefused: $0.boolean(1)) }
    if responders.isEmpty { return .noResponders }
    if responders.allSatisfy(\.isRefused) { return .refused }
    return responders.contains { $0.hasChannel && !$0.isRefused } ? nil : .noChannel
  }
}

package import Model
import SQLiteKit
import Wire

extension LocalStore {
  /// Sets what the person says of themselves, and queues that.
  package func putProfile(_ profile: Profile, at moment: Moment) throws(LocalStoreError) {
    let mutation = Mutation(
      id: identifiers(at: moment).next(), entityID: .profile, occurredAt: moment.wall, change: .putProfile(profile))
    try writeAndPoke { transaction in _ = try transaction.enqueue(mutation, at: moment) }
  }

  /// What the person says of themselves: the server's state with what is queued laid on top; nil if they never did.
  package func profile() throws(LocalStoreError) -> StoredProfile? {
    try file.read { reading in
      let queued = try reading.readableRows(
        """
        SELECT body FROM pending_mutations
        WHERE entity_id = ?1 AND lane = 'routine' AND kind = 'profile.put' AND parked_code IS NOT ?2
        ORDER BY sequence DESC LIMIT 1
        """, SQLiteValue(EntityID.profile), .text(RowRepair.code)
      ) { row in try Profile(storedBody: row["body"]) }
      if let profile = queued.first { return StoredProfile(profile: profile, isPending: true) }
      // A state that cannot be read counts as none: the server tells it again with its next change.
      let known = try reading.value(of: .profile).flatMap { try? Profile(storedBody: $0) }
      return known.map { StoredProfile(profile: $0, isPending: false) }
    }
  }
}

/// What the person says of themselves, as the device shows it.
package struct StoredProfile: Hashable, Sendable {
  package var profile: Profile
  /// The server has not taken it yet.
  package var isPending: Bool

  package init(profile: Profile, isPending: Bool) {
    self.profile = profile
    self.isPending = isPending
  }
}

extension StoreReading {
  /// Whether the server had a profile, and has not named it since it was restored.
  func isProfileMissing(naming: String) throws -> Bool {
    try value(of: .profile) != nil && value(of: .profileNaming) != naming
  }
}

extension StoreTransaction {
  /// Sets what the server has.
  func setServerProfile(_ profile: Profile, naming: String) throws {
    try setServerProfile(MutationBody.text(of: .putProfile(profile)), naming: naming)
  }

  /// The same, as the body of its `profile.put`.
  func setServerProfile(_ body: String, naming: String) throws {
    try setValue(body, for: .profile)
    try setValue(naming, for: .profileNaming)
  }

  /// Queues the profile that the server lacks, unless a newer one is queued.
  func requeueProfile(_ identifiers: IdentifierSource) throws {
    let body = try value(of: .profile)
    try setValue(nil, for: .profile)
    let isQueued = try hasRow(
      "SELECT 1 FROM pending_mutations WHERE entity_id = ? AND lane = 'routine' LIMIT 1", SQLiteValue(EntityID.profile))
    guard let body, !isQueued else { return }
    let mutation = SyncRequestWriter.QueuedMutation(
      id: identifiers.next(), kind: .putProfile, entityID: .profile, occurredAt: identifiers.moment.wall, body: body)
    try enqueue(mutation, at: identifiers.moment)
  }
}

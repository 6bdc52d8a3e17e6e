import Model
import PlantedBugs
import Secrets
import Wire

/// The position from which a device is served.
struct SyncPosition {
  var cursor: SyncCursor
  /// The account starts a new history, under the cursor's epoch.
  var isNewEpoch = false

  /// The cursors of the request that the log must confirm, of any epoch: the account's is not known yet.
  static func claims(_ request: SyncRequest) -> Set<CursorClaim> {
    Set([request.cursor, request.newestCursor].compactMap { cursorAfterStart($0)?.claim })
  }

  /// Both cursors of the request must be ours: changes that the server took while the device was still pulling lie
  /// between them.
  static func of(_ request: SyncRequest, epoch: String, _ work: inout AccountWork) -> Self {
    let start = of(request.cursor, epoch: epoch, &work)
    guard let newest = request.newestCursor, !start.isNewEpoch else { return start }
    let proof = of(newest, epoch: epoch, &work)
    return proof.isNewEpoch ? proof : start
  }

  /// The cursor to continue from; sequence 0 is the start.
  ///
  /// A cursor of the account's epoch that this store never gave (its sequence is beyond the newest, or its tag differs)
  /// proves that the store was restored from an older copy. The account then gets a new epoch: every device pulls from
  /// the start and offers again what the server lost.
  private static func of(_ text: String?, epoch: String, _ work: inout AccountWork) -> Self {
    guard let cursor = own(text, epoch: epoch) else {
      return Self(cursor: SyncCursor(epoch: epoch, sequence: 0, tag: 0))
    }
    if work.state.proves(cursor) || PlantedBug.restoredServerSwallows.isPlanted { return Self(cursor: cursor) }
    let epoch = Base64URL.encode(work.entropy.bytes(12))
    return Self(cursor: SyncCursor(epoch: epoch, sequence: 0, tag: 0), isNewEpoch: true)
  }

  /// The sequence after which the request asks for changes; 0 is the start.
  static func sequence(_ request: SyncRequest) -> Int64 { cursorAfterStart(request.cursor)?.sequence ?? 0 }

  /// The cursor in `text` if it is of this epoch and not the start.
  private static func own(_ text: String?, epoch: String) -> SyncCursor? {
    cursorAfterStart(text).flatMap { $0.epoch == epoch ? $0 : nil }
  }

  private static func cursorAfterStart(_ text: String?) -> SyncCursor? {
    guard let text, let cursor = SyncCursor(text), cursor.sequence > 0 else { return nil }
    return cursor
  }
}

extension AccountState {
  /// Whether this log gave the cursor.
  fileprivate mutating func proves(_ cursor: SyncCursor) -> Bool {
    guard cursor.sequence <= facts.position.newestSequence else { return false }
    let claim = CursorClaim(sequence: cursor.sequence, tag: cursor.tag)
    guard let fact = facts.cursors[claim] else {
      missing.cursors.insert(claim)
      return true
    }
    return fact.tag.map { $0 == cursor.tag } ?? fact.isRemembered
  }
}

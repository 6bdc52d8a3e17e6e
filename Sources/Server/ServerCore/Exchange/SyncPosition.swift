import Model
import PlantedBugs
import Secrets
import Wire

/// From where a device is to be served.
struct SyncPosition {
  var cursor: SyncCursor
  /// The account begins a new history, under the cursor's epoch.
  var isNewEpoch = false

  /// The cursors of the request that the log has to prove.
  static func claims(_ request: SyncRequest, epoch: String) -> Set<CursorClaim> {
    Set([request.cursor, request.newestCursor].compactMap { own($0, epoch: epoch)?.claim })
  }

  /// Both cursors of the request have to be ours: what the server took while the device had not heard of all before it lies
  /// between them.
  static func of(_ request: SyncRequest, epoch: String, _ work: inout AccountWork) -> Self {
    let start = of(request.cursor, epoch: epoch, &work)
    guard let newest = request.newestCursor, !start.isNewEpoch else { return start }
    let proof = of(newest, epoch: epoch, &work)
    return proof.isNewEpoch ? proof : start
  }

  /// The cursor to go on from; sequence 0 is the start.
  ///
  /// A cursor of the account's epoch that this store never gave, as its sequence is beyond the newest or its tag is another,
  /// proves that the store was restored from an older copy: the account gets a new epoch, at which every device pulls from
  /// the start and offers again what the server no longer has.
  private static func of(_ text: String?, epoch: String, _ work: inout AccountWork) -> Self {
    guard let cursor = own(text, epoch: epoch) else {
      return Self(cursor: SyncCursor(epoch: epoch, sequence: 0, tag: 0))
    }
    if work.state.proves(cursor) || PlantedBug.restoredServerSwallows.isPlanted { return Self(cursor: cursor) }
    let epoch = Base64URL.encode(work.entropy.bytes(12))
    return Self(cursor: SyncCursor(epoch: epoch, sequence: 0, tag: 0), isNewEpoch: true)
  }

  /// Where the request asks to go on, as far as it tells; 0 is the start.
  static func sequence(_ request: SyncRequest, epoch: String) -> Int64 {
    own(request.cursor, epoch: epoch)?.sequence ?? 0
  }

  /// The cursor in `text` where it is of this epoch and behind any change.
  private static func own(_ text: String?, epoch: String) -> SyncCursor? {
    guard let text, let cursor = SyncCursor(text), cursor.epoch == epoch, cursor.sequence > 0 else { return nil }
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

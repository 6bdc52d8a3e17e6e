import Model
import PlantedBugs
import Secrets
import Wire

/// From where a device is to be served.
enum SyncPosition {
  /// Both cursors of the request have to be ours: what the server took while the device had not heard of all before it lies
  /// between them.
  static func of(
    _ request: SyncRequest, account: AccountRecord, _ context: inout RequestContext
  ) throws(StorageError) -> SyncCursor {
    let start = try of(request.cursor, account: account, &context)
    guard let newest = request.newestCursor, start.epoch == account.epoch else { return start }
    let proof = try of(newest, account: account, &context)
    return proof.epoch == account.epoch ? start : proof
  }

  /// Where the account's changes end; nil where it has none.
  static func newest(
    of account: AccountID, epoch: String, _ context: RequestContext
  ) throws(StorageError) -> SyncCursor? {
    let sequence = try context.transaction.logPosition(of: account).newestSequence
    guard let tag = try context.transaction.changeTag(at: sequence, of: account) else { return nil }
    return SyncCursor(epoch: epoch, sequence: sequence, tag: tag)
  }

  /// The cursor to go on from; sequence 0 is the start.
  ///
  /// A cursor of the account's epoch that this store never gave, as its sequence is beyond the newest or its tag is another,
  /// proves that the store was restored from an older copy: the account gets a new epoch, at which every device pulls from
  /// the start and offers again what the server no longer has.
  static func of(
    _ text: String?, account: AccountRecord, _ context: inout RequestContext
  ) throws(StorageError) -> SyncCursor {
    let start = SyncCursor(epoch: account.epoch, sequence: 0, tag: 0)
    guard let text, let cursor = SyncCursor(text), cursor.epoch == account.epoch, cursor.sequence > 0 else {
      return start
    }
    if try isOurs(cursor, account.id, context) || PlantedBug.restoredServerSwallows.isPlanted { return cursor }
    let epoch = newEpoch(&context)
    try context.transaction.setEpoch(epoch, of: account.id)
    try context.transaction.forgetCursors(of: account.id)
    return SyncCursor(epoch: epoch, sequence: 0, tag: 0)
  }

  private static func isOurs(
    _ cursor: SyncCursor, _ account: AccountID, _ context: RequestContext
  ) throws(StorageError) -> Bool {
    let transaction = context.transaction
    guard cursor.sequence <= (try transaction.logPosition(of: account).newestSequence) else { return false }
    if let tag = try transaction.changeTag(at: cursor.sequence, of: account) { return tag == cursor.tag }
    return try transaction.isCursorRemembered(sequence: cursor.sequence, tag: cursor.tag, account: account)
  }

  private static func newEpoch(_ context: inout RequestContext) -> String {
    Base64URL.encode(context.entropy.bytes(12))
  }
}

import Model
import PostgresKit
import ServerCore

extension PostgresTransaction {
  func apply(_ writes: RequestWrites) throws(StorageError) {
    guard isWritable else { throw StorageError(.readOnly, "a transaction that reads cannot write") }
    guard !writes.isEmpty else { return }
    try begin()
    var batch = PostgresBatch()
    add(writes.accounts, &batch)
    if let verification = writes.newVerification { insert(verification, &batch) }
    if let code = writes.newCode { insert(code, &batch) }
    if let verification = writes.changedVerification { update(verification, &batch) }
    for step in writes.rateCounts { add(step, &batch) }
    if let account = writes.newAccount { insert(account, &batch) }
    if let session = writes.newSession { insert(session, &batch) }
    if let tokens = writes.newTokens { insert(tokens, &batch) }
    for tokens in writes.changedTokens { updateTimes(of: tokens, &batch) }
    for end in writes.endedSessions { self.end(end, &batch) }
    try write(batch, of: writes.accounts)
  }
}

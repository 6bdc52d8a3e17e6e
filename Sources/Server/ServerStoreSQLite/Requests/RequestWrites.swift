import Model
import SQLiteKit
package import ServerCore

extension SQLiteServerTransaction {
  package func apply(_ writes: RequestWrites) throws(StorageError) {
    for account in writes.accounts { try apply(account) }
    try storing { () throws(SQLiteError) in
      if let verification = writes.newVerification { try insertVerification(verification) }
      if let code = writes.newCode { try insertCode(code) }
      if let verification = writes.changedVerification { try updateVerification(verification) }
      for step in writes.rateCounts { try add(step) }
      if let account = writes.newAccount { try insertAccount(account) }
      if let session = writes.newSession { try insertSession(session) }
      if let tokens = writes.newTokens { try insertTokens(tokens) }
      for tokens in writes.changedTokens { try updateTimes(of: tokens) }
      for end in writes.endedSessions { try endSession(end) }
    }
  }

  package func removeExpired(_ expiry: Expiry, limit: Int) throws(StorageError) -> Int {
    try storing { () throws(SQLiteError) in
      try removeVerifications(expiredBefore: expiry.codes, limit: limit)
        + removeRateCounts(expiredBefore: expiry.rateCounts, limit: limit)
        + removeAlertBuckets(fullBefore: expiry.rateCounts, limit: limit)
        + removeTokens(replacedBefore: expiry.replacedTokens, expiredBefore: expiry.expiredTokens, limit: limit)
        + removeSessions(endedBefore: expiry.endedSessions, limit: limit)
        + removeInboxAlerts(endedBefore: expiry.endedInbox, limit: limit)
    }
  }
}

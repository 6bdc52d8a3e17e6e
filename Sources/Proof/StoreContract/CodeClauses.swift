import Model
import ServerCore
import Wire

extension StoreContract {
  static let codeClauses: [Clause] = [
    Clause("keeps a code to be sent with its verification, and what was changed of it, until it is removed") { bench in
      var code = try bench.addCode(1)
      try bench.subject.reopen()
      try expect(try bench.codeMessage(1), is: code, "the code")
      code.attempts = 2
      code.isLeased = true
      code.dueAt = bench.after(seconds: 60)
      try bench.store.write { try $0.updateCode(code) }
      try expect(try bench.codeMessage(1), is: code, "the changed code")
      var verification = verification("v1", bench.phone(1), at: Bench.now)
      verification.usedAt = bench.after(seconds: 9)
      var writes = RequestWrites()
      writes.changedVerification = verification
      try bench.write(writes)
      code.isUsed = true
      try expect(try bench.codeMessage(1), is: code, "the used code")
      try bench.store.write { try $0.removeCode(code.id) }
      try expect(try bench.codeMessage(1), is: nil, "the removed code")
    },
    Clause("keeps one code for each telephone: the newest") { bench in
      _ = try bench.addCode(1)
      _ = try bench.addCode(2)
      let newer = try bench.addCode(3, phone: 1)
      try expect(try bench.codeMessage(1), is: nil, "the replaced code")
      try expect(try bench.dueCodes().map(\.id), is: [bench.identifier(2), newer.id], "codes")
    },
    Clause("keeps one reply for each telephone beside its code") { bench in
      let code = try bench.addCode(1)
      let about = StoredReply.Subject(
        account: bench.identifier(6), alert: bench.identifier(7), contact: bench.identifier(8))
      _ = try bench.addReply(2, StoredReply(.noCode, about: nil))
      let newer = try bench.addReply(3, StoredReply(.coming, about: about))
      let other = try bench.addReply(4, StoredReply(.tooMany, about: nil), phone: 2)
      try bench.subject.reopen()
      try expect(try bench.codeMessage(2), is: nil, "the replaced reply")
      try expect(try bench.codeMessage(3), is: newer, "the reply")
      try expect(try bench.codeMessage(4), is: other, "a reply about nobody")
      try expect(try bench.codeMessage(1), is: code, "the code")
      try expect(
        Set(try bench.dueCodes().map(\.id)), is: [code.id, newer.id, other.id], "what is due")
      _ = try bench.addCode(5, phone: 1)
      try expect(try bench.codeMessage(3), is: newer, "the reply beside a newer code")
      try bench.store.write { try $0.removeCode(newer.id) }
      try expect(try bench.codeMessage(3), is: nil, "the removed reply")
    },
    Clause("gives the codes that are due, the longest due first, and when the next are") { bench in
      for (number, seconds) in [(1, 30), (2, 10), (3, 20), (4, 90)] as [(Int, Int64)] {
        _ = try bench.addCode(number, dueAt: bench.after(seconds: seconds))
      }
      let now = bench.after(seconds: 30)
      try expect(
        try bench.dueCodes(at: now, limit: 2).map(\.id), is: [bench.identifier(2), bench.identifier(3)], "due codes")
      try expect(
        try bench.codeQueue(at: now),
        is: CodeQueue(firstDue: bench.after(seconds: 10), lastDue: bench.after(seconds: 90)),
        "the queue")
      try bench.lease(2, until: bench.after(seconds: 40))
      try bench.lease(3, until: bench.after(seconds: 30))
      try expect(
        try bench.codeQueue(at: now),
        is: CodeQueue(
          leasedCount: 1, firstDue: bench.after(seconds: 30), lastDue: bench.after(seconds: 90),
          firstLeaseEnd: bench.after(seconds: 30)), "the leases")
      try expect(
        Set(try bench.dueCodes(at: now).map(\.id)), is: [bench.identifier(1), bench.identifier(3)],
        "a lease that has ended is due")
    },
    Clause("ends all leases of codes, and brings forward what is due too late") { bench in
      _ = try bench.addCode(1)
      _ = try bench.addCode(2)
      try bench.lease(1, until: bench.after(seconds: 60))
      try bench.store.write { try $0.endCodeLeases(at: bench.after(seconds: 5)) }
      try expect(try bench.codeMessage(1)?.isLeased, is: false, "a lease")
      try expect(try bench.codeMessage(1)?.dueAt, is: bench.after(seconds: 5), "when it is due")
      try bench.lease(1, until: bench.after(seconds: 90))
      try bench.lease(2, until: bench.after(seconds: 91))
      try bench.store.write { try $0.bringCodesForward(dueAfter: bench.after(seconds: 90), to: Bench.now) }
      try expect(try bench.codeMessage(1)?.dueAt, is: bench.after(seconds: 90), "a lease that ends soon enough")
      try expect(try bench.codeMessage(2)?.dueAt, is: Bench.now, "what was brought forward")
      try expect(try bench.codeMessage(2)?.isLeased, is: false, "its lease")
    },
    Clause("removes a code with its verification") { bench in
      _ = try bench.addCode(1)
      let expiry = Expiry(
        codes: bench.after(seconds: 601), rateCounts: Bench.now, replacedTokens: Bench.now, expiredTokens: Bench.now,
        endedSessions: Bench.now, endedInbox: Bench.now)
      _ = try bench.store.write { try $0.removeExpired(expiry, limit: 9) }
      try expect(try bench.codeMessage(1), is: nil, "the code")
    },
  ]
}

extension Bench {
  /// Queues the code of a new verification.
  fileprivate func addCode(_ number: Int, phone: Int? = nil, dueAt: Timestamp = Bench.now) throws -> StoredCode {
    let verification = StoreContract.verification("v\(number)", self.phone(phone ?? number), at: Self.now)
    let code = StoredCode(
      id: identifier(number), .code(verification: verification.id), phone: verification.phone,
      expiresAt: verification.expiresAt, dueAt: dueAt)
    var writes = RequestWrites()
    writes.newVerification = verification
    writes.newCode = code
    try write(writes)
    return code
  }

  fileprivate func addReply(_ number: Int, _ reply: StoredReply, phone: Int = 1) throws -> StoredCode {
    let message = StoredCode(
      id: identifier(number), .reply(reply), phone: self.phone(phone), expiresAt: after(seconds: 600), dueAt: Self.now)
    var writes = RequestWrites()
    writes.newCode = message
    try write(writes)
    return message
  }

  fileprivate func lease(_ number: Int, until time: Timestamp) throws {
    guard var code = try codeMessage(number) else { throw StoreContract.Breach(description: "code \(number) is gone") }
    code.isLeased = true
    code.dueAt = time
    try store.write { try $0.updateCode(code) }
  }

  fileprivate func codeMessage(_ number: Int) throws -> StoredCode? {
    try store.read { try $0.codeMessage(identifier(number)) }
  }

  fileprivate func dueCodes(at now: Timestamp = Bench.now, limit: Int = 9) throws -> [StoredCode] {
    try store.write { try $0.dueCodes(at: now, limit: limit) }
  }

  fileprivate func codeQueue(at now: Timestamp) throws -> CodeQueue { try outlook(at: now).codes }
}

import Model
import ServerCore
import Wire

extension StoreContract {
  static let signInClauses: [Clause] = [
    Clause("finds the account and the session of an access token and of an alert key, and of nothing else") { bench in
      try bench.addAccounts()
      try bench.signIn()
      try bench.subject.reopen()
      let byToken = try bench.requestFacts { $0.credential = .accessToken(bench.hash(51)) }.credential
      try expect(byToken?.session, is: bench.session(41), "the session of a token")
      try expect(byToken?.tokens, is: bench.tokens(51, session: 41), "the tokens")
      try expect(byToken?.account.phone, is: bench.phone(1), "the account of a token")
      let byKey = try bench.requestFacts { $0.credential = .alertKey(bench.hash(41)) }.credential
      try expect(byKey?.session, is: bench.session(41), "the session of an alert key")
      try expect(byKey != nil && byKey?.tokens == nil, "an alert key has tokens")
      for wrong in [.accessToken(bench.hash(52)), .accessToken(bench.hash(41)), .alertKey(bench.hash(51))]
        as [CredentialHash]
      {
        let facts = try bench.requestFacts {
          $0.credential = wrong
          $0.caller = FactNeeds()
        }
        try expect(facts.credential == nil && facts.accounts.isEmpty, "\(wrong) is taken for a credential")
      }
    },
    Clause("takes the account that a credential or a refresh token names for a hint") { bench in
      try bench.addAccounts()
      try bench.signIn()
      try bench.write {
        $0.contacts = [try bench.contact(21)]
        $0.bucket = WriteSet.AlertBucket(
          session: bench.identifier(41), isOfAlertKey: false, fullAt: bench.after(seconds: 7))
      }
      for named in [nil, bench.account, bench.other, bench.identifier(99)] as [AccountID?] {
        let facts = try bench.requestFacts {
          ($0.credential, $0.namedAccount) = (.accessToken(bench.hash(51)), named)
          ($0.alertBucket, $0.callerSessions) = (true, 5)
          $0.caller = FactNeeds()
          $0.caller?.contacts = true
        }
        try expect(facts.credential?.account.id, is: bench.account, "whose the token is that names \(named as Any)")
        try expect(Array(facts.accounts.keys), is: [bench.account], "the accounts that are told of")
        try expect(facts.accounts[bench.account]?.contacts.count, is: 1, "contacts")
        try expect(facts.alertBucketFullAt, is: bench.after(seconds: 7), "when the bucket is full")
        try expect(facts.callerSessions.map(\.session.id), is: [bench.identifier(41)], "sessions")
        let refresh = try bench.requestFacts { ($0.refreshHash, $0.namedAccount) = (bench.hash(52), named) }.refresh
        try expect(refresh?.session, is: bench.session(41), "the session of a refresh token")
        let wrong = try bench.requestFacts {
          ($0.credential, $0.namedAccount, $0.caller) = (.accessToken(bench.hash(52)), named, FactNeeds())
        }
        try expect(wrong.credential == nil && wrong.accounts.isEmpty, "a refresh token is taken for an access token")
      }
    },
    Clause("gives a refresh token with its session and its successor, as their times change") { bench in
      try bench.addAccounts()
      try bench.signIn()
      func refresh(_ number: Int) throws -> RefreshFacts? {
        let facts = try bench.requestFacts { $0.refreshHash = bench.hash(number) }
        return facts.refresh
      }
      try expect(try refresh(52)?.successor, is: nil, "a successor before there is one")
      var replaced = bench.tokens(51, session: 41)
      replaced.replacedAt = bench.after(seconds: 5)
      replaced.firstUsedAt = bench.after(seconds: 4)
      replaced.refreshExpiresAt = bench.after(seconds: 99)
      replaced.accessExpiresAt = bench.after(seconds: 98)
      let next = bench.tokens(61, session: 41, generation: 2)
      var writes = RequestWrites()
      writes.changedTokens = [replaced]
      writes.newTokens = next
      try bench.write(writes)
      try expect(
        try refresh(52), is: RefreshFacts(shown: replaced, session: bench.session(41), successor: next), "the facts")
      try expect(try refresh(51), is: nil, "an access token taken for a refresh token")
    },
    Clause("lists the sessions whose alert key is valid, newest first, with what their tokens tell") { bench in
      try bench.addAccounts()
      for (number, session) in [(51, 41), (61, 42), (71, 43)] {
        var writes = RequestWrites()
        writes.newSession = bench.session(session)
        var tokens = bench.tokens(number, session: session)
        tokens.firstUsedAt = session == 42 ? bench.after(seconds: 3) : nil
        writes.newTokens = tokens
        try bench.write(writes)
      }
      var ends = RequestWrites()
      ends.endedSessions = [
        SessionEnd(bench.identifier(41), at: bench.after(seconds: 9), endsAlertKey: true),
        SessionEnd(bench.identifier(43), at: bench.after(seconds: 9), endsAlertKey: false),
      ]
      try bench.write(ends)
      let sessions = try bench.requestFacts {
        $0.credential = .alertKey(bench.hash(42))
        $0.callerSessions = 5
      }.callerSessions
      try expect(sessions.map(\.session.id), is: [43, 42].map { bench.identifier($0) }, "sessions")
      try expect(sessions.map(\.session.endedAt), is: [bench.after(seconds: 9), nil], "ends")
      try expect(sessions.map(\.lastSeenAt), is: [nil, bench.after(seconds: 3)], "when they were last seen")
      try expect(sessions.last?.refreshExpiresAt, is: bench.after(seconds: 86_400), "when the refresh token expires")
    },
    Clause("lets the first end of a session stand") { bench in
      try bench.addAccounts()
      var writes = RequestWrites()
      writes.newSession = bench.session(41)
      try bench.write(writes)
      for (seconds, endsAlertKey) in [(5, false), (7, true), (9, true)] as [(Int64, Bool)] {
        var ends = RequestWrites()
        ends.endedSessions = [
          SessionEnd(bench.identifier(41), at: bench.after(seconds: seconds), endsAlertKey: endsAlertKey)
        ]
        try bench.write(ends)
      }
      let session = try bench.requestFacts { $0.session = bench.identifier(41) }.session
      try expect(session?.endedAt, is: bench.after(seconds: 5), "the end of the tokens")
      try expect(session?.alertKeyEndedAt, is: bench.after(seconds: 7), "the end of the alert key")
    },
    Clause("gives a one-time code with the account of its telephone, and when the next may be sent") { bench in
      try bench.addAccounts()
      for (number, seconds) in [(1, 0), (1, 30), (3, 60)] as [(Int, Int64)] {
        var writes = RequestWrites()
        writes.newVerification = verification("v\(seconds)", bench.phone(number), at: bench.after(seconds: seconds))
        try bench.write(writes)
      }
      let known = try bench.requestFacts { $0.verification = "v30" }
      try expect(
        known.verification, is: verification("v30", bench.phone(1), at: bench.after(seconds: 30)), "the code")
      try expect(known.verifiedAccount?.id, is: bench.account, "the account of the telephone")
      let unknown = try bench.requestFacts { $0.verification = "v60" }
      try expect(unknown.verification != nil && unknown.verifiedAccount == nil, "a new telephone has an account")
      func resend(upTo seconds: Int64) throws -> Timestamp? {
        let facts = try bench.requestFacts {
          $0.resend = ResendNeed(phone: bench.phone(1), upTo: bench.after(seconds: seconds))
        }
        return facts.latestResend
      }
      try expect(try resend(upTo: 20), is: bench.after(seconds: 60), "before the second code")
      try expect(try resend(upTo: 30), is: bench.after(seconds: 90), "after the second code")
      var used = verification("v30", bench.phone(1), at: bench.after(seconds: 30))
      used.tries = 2
      used.usedAt = bench.after(seconds: 40)
      var writes = RequestWrites()
      writes.changedVerification = used
      try bench.write(writes)
      try expect(try bench.requestFacts { $0.verification = "v30" }.verification, is: used, "the used code")
      try expect(try resend(upTo: 50), is: bench.after(seconds: 60), "a used code holds up no other")
    },
    Clause("counts within a range of time, each stretch by itself") { bench in
      for seconds in [0, 10, 10, 20] as [Int64] {
        var writes = RequestWrites()
        writes.rateCounts = [count(bench, 1, at: seconds), count(bench, 2, at: seconds)]
        try bench.write(writes)
      }
      let need = RateCountNeed(key: bench.hash(1), range: bench.after(seconds: 1)..<bench.after(seconds: 20))
      try expect(
        try bench.requestFacts { $0.rateCounts = [need] }.rateCounts[need],
        is: [RateCount(start: bench.after(seconds: 10), count: 2)], "counts")
    },
    Clause("removes what has expired, so many rows of each kind at most, and nothing else") { bench in
      try bench.addAccounts()
      for number in 0..<3 {
        var writes = RequestWrites()
        writes.newVerification = verification("v\(number)", bench.phone(1), at: bench.after(seconds: Int64(number)))
        writes.rateCounts = [count(bench, number, at: Int64(number))]
        writes.newSession = bench.session(41 + number)
        var tokens = bench.tokens(51 + 10 * number, session: 41 + number)
        tokens.refreshExpiresAt = bench.after(seconds: 600 + Int64(number))
        writes.newTokens = tokens
        try bench.write(writes)
        writes = RequestWrites()
        writes.newSession = bench.session(45 + number)
        writes.endedSessions = [
          SessionEnd(bench.identifier(45 + number), at: bench.after(seconds: Int64(number)), endsAlertKey: true)
        ]
        try bench.write(writes)
      }
      let expiry = Expiry(
        codes: bench.after(seconds: 602), rateCounts: bench.after(seconds: 3602), replacedTokens: Bench.now,
        expiredTokens: bench.after(seconds: 602), endedSessions: bench.after(seconds: 2), endedInbox: Bench.now)
      func remove() throws -> Int { try bench.store.write { try $0.removeExpired(expiry, limit: 1) } }
      try expect([try remove(), try remove(), try remove()], is: [4, 4, 0], "removed rows")
      let left = try bench.requestFacts {
        $0.verification = "v2"
        $0.session = bench.identifier(47)
        $0.refreshHash = bench.hash(72)
      }
      try expect(left.verification != nil && left.session != nil && left.refresh != nil, "what has not expired is gone")
      try expect(try bench.requestFacts { $0.session = bench.identifier(46) }.session, is: nil, "an ended session")
    },
    Clause("keeps a replaced pair of tokens until its successor was used and time has passed") { bench in
      try bench.addAccounts()
      try bench.signIn()
      var replaced = bench.tokens(51, session: 41)
      replaced.replacedAt = Bench.now
      var next = bench.tokens(61, session: 41, generation: 2)
      var writes = RequestWrites()
      writes.changedTokens = [replaced]
      writes.newTokens = next
      try bench.write(writes)
      let expiry = Expiry(
        codes: Bench.now, rateCounts: Bench.now, replacedTokens: bench.after(seconds: 1), expiredTokens: Bench.now,
        endedSessions: Bench.now, endedInbox: Bench.now)
      func remove() throws -> Int { try bench.store.write { try $0.removeExpired(expiry, limit: 9) } }
      try expect(try remove(), is: 0, "pairs removed before the successor was used")
      next.firstUsedAt = Bench.now
      writes = RequestWrites()
      writes.changedTokens = [next]
      try bench.write(writes)
      try expect(try remove(), is: 1, "pairs removed after it")
    },
  ]

  static func verification(_ id: String, _ phone: String, at time: Timestamp) -> VerificationRecord {
    VerificationRecord(
      id: id, phone: phone, codeHash: [UInt8](repeating: 6, count: 32), createdAt: time,
      resendAt: time.advanced(byMilliseconds: 60_000), expiresAt: time.advanced(byMilliseconds: 600_000))
  }

  private static func count(_ bench: Bench, _ key: Int, at seconds: Int64) -> RateCountStep {
    RateCountStep(
      key: bench.hash(key), start: bench.after(seconds: seconds), expiresAt: bench.after(seconds: seconds + 3600))
  }
}

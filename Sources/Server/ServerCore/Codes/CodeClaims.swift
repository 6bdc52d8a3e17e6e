import Model

// The durable queue of one-time codes and of replies to text messages.
extension ServerCore {
  /// Leases due codes, a few at once, and removes those that are useless now.
  /// Returns whether it may have written something.
  func claimCodes(
    of queue: CodeQueue, into claimed: inout ClaimedDeliveries, _ moment: ServerMoment,
    _ transaction: any ServerTransaction
  ) throws(StorageError) -> Bool {
    let policy = configuration.codes
    let latest = moment.now.advanced(byMilliseconds: policy.longestWaitMilliseconds)
    guard let first = queue.firstDue, let last = queue.lastDue, first <= moment.now || last > latest else {
      return false
    }
    var room = policy.inFlightLimit - queue.leasedCount
    if last > latest {
      try transaction.bringCodesForward(dueAfter: latest, to: moment.now)
      room =
        policy.inFlightLimit
        - (try transaction.outlook(at: moment.now, latest: latestTimes(at: moment.now)).codes.leasedCount)
    }
    guard room > 0 else { return last > latest }
    for code in try transaction.dueCodes(at: moment.now, limit: min(room, policy.claimLimit)) {
      try claim(code, into: &claimed, moment, transaction)
    }
    return true
  }

  private func claim(
    _ code: StoredCode, into claimed: inout ClaimedDeliveries, _ moment: ServerMoment,
    _ transaction: any ServerTransaction
  ) throws(StorageError) {
    var leased = code
    leased.attempts += 1
    let gateway = configuration.smsGateway
    let text = try text(of: code, at: moment.now, transaction)
    let verdict =
      text == nil
      ? .givenUp(reason: "its account is gone")
      : CodeVerdict.ofDue(code, hasGateway: gateway != nil, at: moment.now, configuration.codes)
    if let note = try carryOut(verdict, on: leased, transaction) { claimed.codeNotes.append(note) }
    guard case .attempt = verdict, let gateway, let text else { return }
    claimed.codes.append(attempt(leased, text, gateway))
  }

  /// The whole message as it is sent at `now`; nil where it is about nobody any more.
  private func text(
    of code: StoredCode, at now: Timestamp, _ transaction: any ServerTransaction
  ) throws(StorageError) -> String? {
    switch code.content {
    case .code(let verification):
      CodeText.message(CodeText.code(of: verification, keys), expiresAt: code.expiresAt, at: now)
    case .reply(let reply): try text(of: reply, to: code.phone, transaction)
    }
  }

  private func attempt(_ code: StoredCode, _ text: String, _ gateway: GatewayTemplate) -> CodeAttempt {
    CodeAttempt(
      id: code.id, number: code.attempts, phone: code.phone, isReply: code.isReply,
      request: gateway.request(to: code.phone, text: text, id: code.id.description),
      timeoutMilliseconds: configuration.codes.attemptTimeoutMilliseconds)
  }

  /// When to claim codes again; nil if none waits. May be past.
  func nextCodeDue(_ queue: CodeQueue) -> Timestamp? {
    queue.leasedCount < configuration.codes.inFlightLimit ? queue.firstDue : queue.firstLeaseEnd
  }

  /// Records how attempts went. An attempt that was superseded changes nothing: its code was replaced, or claimed again.
  package func completeCodes(
    _ completions: [CodeCompletion], at moment: ServerMoment, in transaction: any ServerTransaction
  ) throws(StorageError) -> [CodeNote] {
    var notes: [CodeNote] = []
    for completion in completions {
      guard let code = try transaction.codeMessage(completion.id), code.attempts == completion.attempt,
        try transaction.isClaimedHere(completion.id)
      else { continue }
      var entropy = moment.entropy.stream(for: code.id.description)
      let verdict = CodeVerdict.of(
        completion.answer, to: code, jitter: entropy.fraction(), at: moment.now, configuration.codes)
      if let note = try carryOut(verdict, on: code, transaction) { notes.append(note) }
    }
    return notes
  }

  private func carryOut(
    _ verdict: CodeVerdict, on code: StoredCode, _ transaction: any ServerTransaction
  ) throws(StorageError) -> CodeNote? {
    var code = code
    switch verdict {
    case .attempt(let leaseEnd):
      code.isLeased = true
      code.dueAt = leaseEnd
      try transaction.updateCode(code)
      return nil
    case .retry(let time, let reason):
      code.isLeased = false
      code.dueAt = time
      try transaction.updateCode(code)
      return CodeNote(of: code, "\(reason); it will be tried again", .retried)
    case .sent:
      try transaction.removeCode(code.id)
      return CodeNote(of: code, "sent", .sent)
    case .givenUp(let reason):
      try transaction.removeCode(code.id)
      return CodeNote(of: code, "\(reason); given up", code.isUsed ? nil : .failed)
    }
  }
}

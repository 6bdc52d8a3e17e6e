import Model

// The durable queue of one-time codes.
extension ServerCore {
  /// Leases due codes, a few at once, and removes those that are useless now.
  func claimCodes(
    into claimed: inout ClaimedDeliveries, _ moment: ServerMoment, _ transaction: any ServerTransaction
  ) throws(StorageError) {
    let policy = configuration.codes
    let latest = moment.now.advanced(byMilliseconds: policy.longestWaitMilliseconds)
    try transaction.bringCodesForward(dueAfter: latest, to: moment.now)
    let room = policy.inFlightLimit - (try transaction.codeQueue(at: moment.now).leasedCount)
    guard room > 0 else { return }
    for code in try transaction.dueCodes(at: moment.now, limit: min(room, policy.claimLimit)) {
      try claim(code, into: &claimed, moment, transaction)
    }
  }

  private func claim(
    _ code: StoredCode, into claimed: inout ClaimedDeliveries, _ moment: ServerMoment,
    _ transaction: any ServerTransaction
  ) throws(StorageError) {
    var leased = code
    leased.attempts += 1
    let gateway = configuration.smsGateway
    let verdict = CodeVerdict.ofDue(code, hasGateway: gateway != nil, at: moment.now, configuration.codes)
    if let note = try carryOut(verdict, on: leased, transaction) { claimed.codeNotes.append(note) }
    guard case .attempt = verdict, let gateway else { return }
    claimed.codes.append(attempt(leased, gateway, at: moment.now))
  }

  private func attempt(_ code: StoredCode, _ gateway: GatewayTemplate, at now: Timestamp) -> CodeAttempt {
    let text = CodeText.message(CodeText.code(of: code.verification, keys), expiresAt: code.expiresAt, at: now)
    return CodeAttempt(
      id: code.id, number: code.attempts, phone: code.phone,
      request: gateway.request(to: code.phone, text: text, id: code.id.description),
      timeoutMilliseconds: configuration.codes.attemptTimeoutMilliseconds)
  }

  /// When to claim codes again; nil if none waits. May be past.
  func nextCodeDue(
    at moment: ServerMoment, _ transaction: any ServerTransaction
  ) throws(StorageError) -> Timestamp? {
    let queue = try transaction.codeQueue(at: moment.now)
    return queue.leasedCount < configuration.codes.inFlightLimit ? queue.firstDue : queue.firstLeaseEnd
  }

  /// Records how attempts went. An attempt that was superseded changes nothing: its code was replaced, or claimed again.
  package func completeCodes(
    _ completions: [CodeCompletion], at moment: ServerMoment, in transaction: any ServerTransaction
  ) throws(StorageError) -> [CodeNote] {
    var notes: [CodeNote] = []
    for completion in completions {
      guard let code = try transaction.codeMessage(completion.id), code.attempts == completion.attempt else { continue }
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
      return CodeNote(id: code.id, text: "\(reason); it will be tried again")
    case .sent:
      try transaction.removeCode(code.id)
      return CodeNote(id: code.id, text: "sent")
    case .givenUp(let reason):
      try transaction.removeCode(code.id)
      return CodeNote(id: code.id, text: "\(reason); given up")
    }
  }
}

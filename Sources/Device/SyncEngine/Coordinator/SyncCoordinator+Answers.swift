import LocalStore
import Model
import Wire

// Incoming answers: classifies them and applies them to the store.

extension SyncCoordinator {
  func take(_ answer: HTTPAnswer, of id: RequestID, _ turn: inout Turn) {
    if var inFlight = exchange(of: id), let attempt = inFlight.attempts.first(where: { $0.id == id }) {
      inFlight.answerBytes = answer.body.count
      let outcome = AnswerClassifier.classify(answer, as: SyncResponse.self, now: serverNow(turn))
      if inFlight.attempts.count > 1, !outcome.isFromOurServer { return endAttempt(id, &turn) }
      endExchange(inFlight, answered: id, &turn)
      takeExchange(outcome, attempt, inFlight, &turn)
    } else if let inFlight = refreshInFlight, inFlight.id == id {
      refreshInFlight = nil
      takeRefresh(answer, inFlight, &turn)
    } else if id == streamID {
      streamID = nil
      turn.events.append(.stream(streamOutcome(answer, turn)))
    }
  }

  func take(_ failure: TransportFailure, of id: RequestID, _ turn: inout Turn) {
    if ahead?.id == id {
      ahead = nil  // a guess: the exchange is sent again where it is wanted
    } else if let inFlight = exchange(of: id) {
      if inFlight.attempts.count > 1 { return endAttempt(id, &turn) }
      endExchange(inFlight, answered: id, &turn)
      turn.events.append(inFlight.ended(inFlight.failed(failure.syncFailure)))
    } else if refreshInFlight?.id == id {
      refreshInFlight = nil
      turn.events.append(.refresh(.failed(failure.syncFailure, retryAfterMilliseconds: nil)))
    } else if id == streamID {
      streamID = nil
      turn.events.append(.stream(.ended(failure.syncFailure, retryAfterMilliseconds: nil)))
    }
  }

  private func exchange(of id: RequestID) -> ExchangeInFlight? {
    [exchangeInFlight, overtakenExchange].compactMap(\.self).first { $0.attempts.contains { $0.id == id } }
  }

  /// Ends one of two attempts; the other continues.
  private func endAttempt(_ id: RequestID, _ turn: inout Turn) {
    exchangeInFlight?.attempts.removeAll { $0.id == id }
    turn.events.append(.attemptFailed)
  }

  private func endExchange(_ inFlight: ExchangeInFlight, answered id: RequestID, _ turn: inout Turn) {
    for attempt in inFlight.attempts where attempt.id != id { turn.commands.append(.cancel(attempt.id)) }
    if inFlight.isOvertaken { overtakenExchange = nil } else { exchangeInFlight = nil }
    resumeOvertaken()
    endedExchange = inFlight
  }

  // MARK: Exchanges

  private func takeExchange(
    _ outcome: AnswerOutcome<SyncResponse>, _ attempt: ExchangeInFlight.Attempt, _ inFlight: ExchangeInFlight,
    _ turn: inout Turn
  ) {
    switch outcome {
    case .accepted(var response):
      response.serverTime = serverClock.measure(response.serverTime, sentAt: attempt.sentAt, receivedAt: turn.moment)
      let isLong = inFlight.items + response.changes.count >= planner.sizes.longAnswer
      let mayBeHeld = planner.mayHoldAnswer(
        milliseconds: ReceivedAnswer.holdMilliseconds, now: turn.moment.monotonicMilliseconds)
      let answer = ReceivedAnswer(
        id: attempt.id, response: response, receivedAt: turn.moment, yieldsToAlerts: isLong && mayBeHeld)
      if isLong, sendAhead(after: inFlight, response, &turn) { return hold(answer, inFlight) }
      apply(answer, inFlight, &turn)
    case .rejected(let problem):
      endedProblem = problem
      let failure = SyncFailure(.rejectedRequest, problem.detail)
      turn.events.append(inFlight.ended(.rejected(failure, items: inFlight.items, bytes: inFlight.bodyBytes)))
    case .credentialsNeeded(let failure): turn.events.append(inFlight.ended(.unauthorized(failure)))
    case .tooLarge(let failure, let problem):
      endedProblem = problem
      turn.events.append(
        inFlight.ended(
          .tooLarge(failure, isOurs: problem != nil, items: inFlight.items, bytes: inFlight.bodyBytes)))
    case .tryLater(let failure, let retryAfter):
      turn.events.append(inFlight.ended(inFlight.failed(failure, retryAfterMilliseconds: retryAfter)))
    case .notOurServer(let failure): turn.events.append(inFlight.ended(inFlight.failed(failure)))
    }
  }

  private func apply(_ answer: ReceivedAnswer, _ inFlight: ExchangeInFlight, _ turn: inout Turn) {
    var response = answer.response
    do throws(LocalStoreError) {
      let applied = try store.apply(
        response, to: inFlight.batch, at: answer.receivedAt, yieldsToAlerts: answer.yieldsToAlerts)
      report.pushed += applied.pushed
      report.pulled += applied.pulled
      var summary = summary(applied, response, inFlight)
      summary.heldMilliseconds = turn.moment.monotonicMilliseconds - answer.receivedAt.monotonicMilliseconds
      turn.events += [.storeSucceeded, inFlight.ended(.accepted(summary))]
      response.results = []
      response.changes = []
      lastAnswers[inFlight.credential] = response
    } catch {
      if answer.yieldsToAlerts, error.code == .alertActive { return giveWay(answer, inFlight, &turn) }
      turn.events.append(inFlight.ended(.abandoned))
      // Another account signed in during the exchange: its answer does not belong to that account.
      if error.code != .anotherAccount { turn.storeFailed(error) }
    }
  }

  private func hold(_ answer: ReceivedAnswer, _ inFlight: ExchangeInFlight) {
    exchangeInFlight = inFlight
    endedExchange = nil
    heldAnswer = answer
  }

  /// Holds the answer, and has the planner look at the alert.
  private func giveWay(_ answer: ReceivedAnswer, _ inFlight: ExchangeInFlight, _ turn: inout Turn) {
    var answer = answer
    answer.yieldsToAlerts = false
    hold(answer, inFlight)
    turn.events.append(.timer)
  }

  /// Applies the answer that was held, once what goes before it was sent and no alert is in flight beside its exchange, or after a while; at
  /// once if `isDue`.
  func takeHeldAnswer(_ turn: inout Turn, isDue: Bool = false) {
    guard var answer = heldAnswer, !isFinished else { return }
    guard !turn.hasSentAhead else { return turn.wake = turn.moment.monotonicMilliseconds }
    guard let inFlight = exchange(of: answer.id) else {
      // The exchange was cancelled: it is sent again under the same ids.
      heldAnswer = nil
      return
    }
    if inFlight.isOvertaken, !isDue, turn.moment.monotonicMilliseconds < answer.holdEndMilliseconds {
      turn.wake = min(turn.wake ?? .max, answer.holdEndMilliseconds)
      return
    }
    heldAnswer = nil
    if isDue { answer.yieldsToAlerts = false }
    endExchange(inFlight, answered: answer.id, &turn)
    apply(answer, inFlight, &turn)
  }

  private func summary(
    _ applied: AppliedExchange, _ response: SyncResponse, _ inFlight: ExchangeInFlight
  ) -> PlannerEvent.Accepted {
    PlannerEvent.Accepted(
      items: inFlight.items,
      answered: applied.pushed + applied.parked + applied.waiting,
      hasMore: applied.hasMore,
      isStuck: applied.hasMore && response.changes.isEmpty && response.cursor == inFlight.batch.cursor,
      isRestart: applied.needsPullFromStart,
      retryAfterMilliseconds: response.waiting.map(\.retryAfterMilliseconds).min(),
      bytes: inFlight.bodyBytes,
      answerBytes: inFlight.answerBytes,
      changes: response.changes.count
    )
  }

  // MARK: What the planner wants recorded

  func perform(_ action: StoreAction, _ turn: inout Turn) {
    switch action {
    case .cancelCall: return cancelCall(&turn)
    case .recordFailure(let failure, let delay): record(failure, delayMilliseconds: delay, &turn)
    case .park(let failure): park(failure, &turn)
    }
  }

  private func record(_ failure: SyncFailure, delayMilliseconds: Int64, _ turn: inout Turn) {
    do throws(LocalStoreError) {
      let batch = if let endedExchange { endedExchange.batch } else { try emptyBatch() }
      let next = turn.moment.wall.advanced(byMilliseconds: delayMilliseconds)
      try store.recordFailure(of: batch, nextAttemptAt: next, error: failure, at: turn.moment)
      turn.events.append(.storeSucceeded)
    } catch {
      turn.storeFailed(error)
    }
  }

  /// An empty batch of the current account, to record a failure that belongs to no exchange.
  private func emptyBatch() throws(LocalStoreError) -> Batch {
    var batch = try store.nextBatch(BatchSelection(lane: .routine, maximumItems: 1, maximumBytes: 1))
    batch.mutations = []
    batch.notifications = []
    batch.accountID = state?.session?.accountID
    return batch
  }

  /// Parks the only item of the ended exchange: applies the probe's answer again, with a `rejected` result for the item.
  private func park(_ failure: SyncFailure, _ turn: inout Turn) {
    guard let ended = endedExchange, ended.items == 1, var verdict = lastAnswers[ended.credential] else {
      return
    }
    let id = ended.batch.mutations.first?.id.description ?? ended.batch.notifications.first?.id.description
    guard let id else { return }
    let code = endedProblem?.kind.rawValue ?? failure.kind.rawValue
    verdict.results = [ItemResult(id: id, status: .rejected, code: code, message: failure.message)]
    do throws(LocalStoreError) {
      _ = try store.apply(verdict, to: ended.batch, at: turn.moment)
      turn.events.append(.storeSucceeded)
    } catch {
      if error.code != .anotherAccount { turn.storeFailed(error) }
    }
  }

  // MARK: Refreshes

  private func takeRefresh(_ answer: HTTPAnswer, _ inFlight: RefreshInFlight, _ turn: inout Turn) {
    do throws(LocalStoreError) {
      // A new sign-in may have replaced the session: an answer for the old one is ignored.
      guard try store.session()?.refreshToken == inFlight.refreshToken else {
        return turn.events.append(.refresh(.abandoned))
      }
      turn.events.append(.refresh(try refreshOutcome(answer, inFlight, turn)))
    } catch {
      // If the server issued tokens that were lost, it replays them for the old refresh token.
      turn.events.append(
        .refresh(.failed(SyncFailure(.store, "the new tokens could not be stored"), retryAfterMilliseconds: nil)))
      turn.storeFailed(error)
    }
  }

  private func refreshOutcome(
    _ answer: HTTPAnswer, _ inFlight: RefreshInFlight, _ turn: Turn
  ) throws(LocalStoreError) -> PlannerEvent.RefreshOutcome {
    switch AnswerClassifier.classify(answer, as: TokenResponse.self, now: serverNow(turn)) {
    case .accepted(let tokens):
      let isStored = try store.replaceTokens(
        inFlight.refreshToken, accessToken: tokens.accessToken, refreshToken: tokens.refreshToken,
        expiresAt: tokens.expiresAt)
      guard isStored else { return .abandoned }
      state?.session?.accessToken = tokens.accessToken
      state?.session?.refreshToken = tokens.refreshToken
      return .refreshed
    case .credentialsNeeded(let failure):
      let isMarked = try store.markSessionExpired(refusedToken: inFlight.refreshToken, isRevoked: failure.isRevoked)
      return isMarked ? .refused(failure) : .abandoned
    case .rejected(let problem):
      return .failed(
        SyncFailure(.rejectedRequest, problem.detail), retryAfterMilliseconds: nil)
    case .tooLarge(let failure, _), .notOurServer(let failure): return .failed(failure, retryAfterMilliseconds: nil)
    case .tryLater(let failure, let retryAfter): return .failed(failure, retryAfterMilliseconds: retryAfter)
    }
  }

  // MARK: The event stream

  /// The outcome of an ordinary answer to a stream request.
  private func streamOutcome(_ answer: HTTPAnswer, _ turn: Turn) -> PlannerEvent.StreamOutcome {
    switch AnswerClassifier.classify(answer, as: Problem.self, now: serverNow(turn)) {
    case .credentialsNeeded(let failure): .unauthorized(failure)
    case .tryLater(let failure, let retryAfter): .ended(failure, retryAfterMilliseconds: retryAfter)
    case .tooLarge(let failure, _), .notOurServer(let failure): .ended(failure, retryAfterMilliseconds: nil)
    case .accepted(let problem), .rejected(let problem):
      .ended(SyncFailure(.serverError, problem.detail), retryAfterMilliseconds: nil)
    }
  }
}

extension ExchangeInFlight {
  /// What the planner is told when it has ended.
  func ended(_ outcome: PlannerEvent.ExchangeOutcome) -> PlannerEvent {
    isOvertaken ? .overtaken(outcome) : .exchange(outcome)
  }

  func failed(
    _ failure: SyncFailure, retryAfterMilliseconds: Int64? = nil
  ) -> PlannerEvent.ExchangeOutcome {
    .failed(failure, retryAfterMilliseconds: retryAfterMilliseconds, items: items, bytes: bodyBytes)
  }
}

import LocalStore
import Wire

// The exchange that is sent before the answer to the one before it is applied: see `SyncPlanner.maySendAhead`.

extension SyncCoordinator {
  /// Sends what is expected to follow, if anything. The answer is then applied in the next turn.
  func sendAhead(after answered: ExchangeInFlight, _ response: SyncResponse, _ turn: inout Turn) -> Bool {
    let exchange = answered.exchange
    guard ahead == nil, planner.maySendAhead(of: exchange), let session = state?.session else { return false }
    // A store that cannot be read now says so when the answer is applied.
    guard let next = try? store.batch(after: answered.batch, answeredBy: response, exchange.selection) else {
      return false
    }
    let batch = exchange.part(of: next)
    guard batch.accountID == session.accountID, !batch.isEmpty || response.isFollowed(after: exchange) else {
      return false
    }
    ahead = ExchangeAhead(exchange: send(exchange, batch, session, isFlushed: true, &turn), session: session)
    turn.hasSentAhead = true
    return true
  }

  /// What was sent ahead, if it is what `exchange` sends now: then it counts as sent.
  func takeAhead(_ exchange: Exchange, _ batch: Batch, _ session: Session) -> ExchangeInFlight? {
    guard let ahead, ahead.exchange.exchange == exchange, ahead.exchange.batch == batch,
      isSameSession(ahead.session, session), let sentAt = ahead.exchange.attempts.first?.sentAt
    else { return nil }
    self.ahead = nil
    planner.wasSentAhead(at: sentAt.monotonicMilliseconds)
    return ahead.exchange
  }

  /// Cancels what was sent ahead and is not wanted now. The server may have taken its items: they are sent again under the same ids.
  func cancelAhead(_ turn: inout Turn) {
    guard let ahead else { return }
    turn.commands.append(.cancel(ahead.id))
    self.ahead = nil
  }
}

extension SyncResponse {
  /// Whether a pull goes on.
  fileprivate func isFollowed(after exchange: Exchange) -> Bool {
    hasMore && exchange.purpose == .pull(isUrgent: false)
  }
}

extension SyncEvent {
  func isAnswer(to id: RequestID?) -> Bool {
    if case .answer(let answered, _) = self { answered == id } else { false }
  }
}

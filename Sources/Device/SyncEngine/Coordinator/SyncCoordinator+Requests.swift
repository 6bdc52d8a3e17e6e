import LocalStore
import Model
import Wire

// Outgoing requests: turns the planner's actions into HTTP requests.

extension SyncCoordinator {
  func perform(_ action: PlannerAction, _ turn: inout Turn) {
    switch action {
    case .start(.exchange(let exchange)): start(exchange, &turn)
    case .start(.refresh(let endpoint)): startRefresh(at: endpoint, &turn)
    case .overtake(let alert): overtake(by: alert, &turn)
    case .cancelOvertaken:
      if let overtakenExchange { cancel(overtakenExchange, &turn) }
      overtakenExchange = nil
    case .startAttempt(let replacesNewest): startAttempt(replacesNewest: replacesNewest, &turn)
    case .cancelCall: cancelCall(&turn)
    case .openStream(let endpoint, let seconds): openStream(at: endpoint, heartbeatSeconds: seconds, &turn)
    case .cancelStream:
      if let streamID { turn.commands.append(.cancel(streamID)) }
      streamID = nil
    case .wake(let time): turn.wake = time
    case .finish(let failure): finish(failure, &turn)
    }
  }

  func cancelCall(_ turn: inout Turn) {
    if let exchangeInFlight { cancel(exchangeInFlight, &turn) }
    if let refreshInFlight { turn.commands.append(.cancel(refreshInFlight.id)) }
    endedExchange = exchangeInFlight
    exchangeInFlight = nil
    refreshInFlight = nil
    resumeOvertaken()
  }

  private func cancel(_ exchange: ExchangeInFlight, _ turn: inout Turn) {
    for attempt in exchange.attempts { turn.commands.append(.cancel(attempt.id)) }
  }

  private func overtake(by alert: Exchange, _ turn: inout Turn) {
    cancelAhead(&turn)
    overtakenExchange = exchangeInFlight
    overtakenExchange?.isOvertaken = true
    exchangeInFlight = nil
    start(alert, &turn)
    resumeOvertaken()
  }

  /// Makes an overtaken exchange the one in flight if the alert is not in flight any more.
  func resumeOvertaken() {
    guard exchangeInFlight == nil, var exchange = overtakenExchange else { return }
    exchange.isOvertaken = false
    exchangeInFlight = exchange
    overtakenExchange = nil
  }

  private func start(_ exchange: Exchange, _ turn: inout Turn) {
    guard let session = state?.session else { return turn.events.append(.exchange(.abandoned)) }
    let batch: Batch
    do throws(LocalStoreError) {
      batch = try makeBatch(exchange)
    } catch {
      turn.events.append(.exchange(.abandoned))
      return turn.storeFailed(error)
    }
    // Another account signed in after the state was read: never send its rows with this session's token.
    guard batch.accountID == session.accountID else { return turn.events.append(.exchange(.abandoned)) }
    exchangeInFlight =
      takeAhead(exchange, batch, session) ?? send(exchange, batch, session, isFlushed: false, &turn)
  }

  func send(
    _ exchange: Exchange, _ batch: Batch, _ session: Session, isFlushed: Bool, _ turn: inout Turn
  ) -> ExchangeInFlight {
    let body = SyncRequestWriter.body(
      deviceID: batch.deviceID, cursor: batch.cursor, newestCursor: batch.newestCursor, mutations: batch.mutations,
      notifications: batch.notifications, limit: exchange.changeLimit, sentAt: turn.moment.wall,
      // Ages are optional: failing to read them must not hold up the alert.
      ages: (try? store.ages(of: batch, at: turn.moment)) ?? [])
    var request = makeRequest(
      .exchange(exchange), "POST", Route.sync, body: body,
      authorization: exchange.usesAlertKey ? session.alertKey : session.accessToken)
    hasMetSilence = hasMetSilence && exchange.isEmergency
    if hasMetSilence { request = request.onFreshConnection(request.id) }
    request.isFlushed = isFlushed
    turn.commands.append(.send(request))
    return ExchangeInFlight(
      attempts: [.init(id: request.id, sentAt: turn.moment)], exchange: exchange, batch: batch, request: request)
  }

  private func startAttempt(replacesNewest: Bool, _ turn: inout Turn) {
    guard let inFlight = exchangeInFlight else { return }
    hasMetSilence = true
    if replacesNewest, let newest = exchangeInFlight?.attempts.popLast() { turn.commands.append(.cancel(newest.id)) }
    let request = inFlight.request.onFreshConnection(nextRequestID())
    exchangeInFlight?.attempts.append(.init(id: request.id, sentAt: turn.moment))
    turn.commands.append(.send(request))
  }

  /// The rows to send; empty if the exchange only pulls.
  private func makeBatch(_ exchange: Exchange) throws(LocalStoreError) -> Batch {
    exchange.part(of: try store.nextBatch(exchange.selection))
  }

  private func startRefresh(at endpoint: Endpoint, _ turn: inout Turn) {
    guard let session = state?.session else { return turn.events.append(.refresh(.abandoned)) }
    let body = TokenRequest(refreshToken: session.refreshToken).json()
    var request = makeRequest(.refresh(endpoint), "POST", Route.tokens, body: body, authorization: nil)
    if hasMetSilence { request = request.onFreshConnection(request.id) }
    refreshInFlight = RefreshInFlight(id: request.id, refreshToken: session.refreshToken)
    turn.commands.append(.send(request))
  }

  private func makeRequest(
    _ call: Call, _ method: String, _ route: String, body: [UInt8], authorization: String?
  ) -> TransportRequest {
    let limits = planner.limits(of: call)
    var headers = [
      TransportRequest.Header("Content-Type", "application/json"),
      TransportRequest.Header("Accept", "application/json, application/problem+json"),
    ]
    if let authorization {
      headers.append(TransportRequest.Header("Authorization", Authorization.bearer(authorization)))
    }
    return TransportRequest(
      id: nextRequestID(), method: method, url: configuration.url(call.endpoint, route), headers: headers, body: body,
      isStream: false,
      connectTimeoutMilliseconds: limits.connectTimeoutMilliseconds,
      totalTimeoutMilliseconds: limits.totalTimeoutMilliseconds,
      maximumBodyBytes: call.exchange == nil ? 64 << 10 : 8 << 20
    )
  }

  private func openStream(at endpoint: Endpoint, heartbeatSeconds: Int, _ turn: inout Turn) {
    guard let session = state?.session else { return }
    let isUsual = heartbeatSeconds == StreamEvent.heartbeatSeconds
    let query = isUsual ? "" : "?\(StreamEvent.heartbeatParameter)=\(heartbeatSeconds)"
    let request = TransportRequest(
      id: nextRequestID(), method: "GET", url: configuration.url(endpoint, Route.events + query),
      headers: [
        TransportRequest.Header("Accept", "text/event-stream"),
        TransportRequest.Header("Authorization", Authorization.bearer(session.accessToken)),
      ],
      body: [], isStream: true, connectTimeoutMilliseconds: 10_000, totalTimeoutMilliseconds: 0,
      maximumBodyBytes: 64 << 10
    )
    streamID = request.id
    turn.commands.append(.send(request))
  }
}

extension Exchange {
  private var isPush: Bool { purpose == .push(lane) }

  /// What to ask the store for.
  var selection: BatchSelection {
    BatchSelection(
      lane: lane, maximumItems: isPush ? limits.maximumItems : 1, maximumBytes: limits.maximumBytes,
      isAlertKeyOnly: usesAlertKey)
  }

  /// What it sends of that; nothing if it only pulls.
  func part(of batch: Batch) -> Batch {
    var batch = batch
    if !isPush {
      batch.mutations = []
      batch.notifications = []
    } else if limits.isSingleItem {
      batch.mutations = Array(batch.mutations.prefix(1))
      batch.notifications = Array(batch.notifications.prefix(1 - batch.mutations.count))
    }
    return batch
  }
}

import Model
import SyncEngine
import Wire

/// A minimal server for one account: idempotency, an epoch, a log of changes, tokens.
final class FakeServer {
  var epoch = "e1"
  var accessToken = "access-1"
  var refreshToken = "refresh-1"
  var alertKey = "alert-key"
  var time = Timestamp(milliseconds: 1_900_000_000_000)
  /// A mutation of this entity makes the whole request malformed.
  var poison: Set<EntityID> = []
  /// An item of this entity is rejected by itself.
  var rejects: Set<EntityID> = []
  /// A proxy rejects requests with more items as too large.
  var proxyBound = Int.max
  var pageSize = 500
  /// The server accepts requests and returns no result for any item.
  var isMute = false
  /// It is another server, which knows none of the tokens.
  var knowsNobody = false
  private(set) var results: [String: ItemResult] = [:]
  /// One entry for each effect.
  private(set) var effects: [String] = []
  private(set) var changes: [Change] = []
  private var alerts: [AlertID: AlertRecord] = [:]

  func answer(_ request: TransportRequest) -> HTTPAnswer {
    if knowsNobody { return problem(.unauthorized) }
    if request.url.hasSuffix(Route.tokens) { return refresh(request) }
    guard let bearer = request.headers.first(where: { $0.name == "Authorization" })?.value else {
      return problem(.unauthorized)
    }
    let isAlertKey = bearer == "Bearer \(alertKey)"
    guard isAlertKey || bearer == "Bearer \(accessToken)" else { return problem(.unauthorized) }
    guard let sync = try? SyncRequest(jsonBytes: request.body) else { return problem(.malformedRequest) }
    let items = sync.mutations.count + sync.notifications.count
    if items > proxyBound { return HTTPAnswer(status: 413, headers: [:], body: Array("<html>".utf8)) }
    if sync.mutations.contains(where: { poison.contains($0.entityID) }) { return problem(.malformedRequest) }
    return json(respond(sync, isAlertKey: isAlertKey).json())
  }

  private func respond(_ request: SyncRequest, isAlertKey: Bool) -> SyncResponse {
    var refused: Set<EntityID> = []
    var answered: [ItemResult] = []
    for mutation in request.mutations where !refused.contains(mutation.entityID) {
      let result = take(mutation)
      if result.status == .rejected { refused.insert(mutation.entityID) }
      answered.append(result)
    }
    for notification in request.notifications { answered.append(once(notification.id.description) {}) }
    let start = request.cursor.flatMap { cursor in
      cursor.hasPrefix(epoch + ":") ? Int(cursor.dropFirst(epoch.count + 1)) : nil
    }
    let from = min(start ?? 0, changes.count)
    let end = min(changes.count, from + min(pageSize, request.limit ?? pageSize))
    return SyncResponse(
      results: isMute ? [] : answered, changes: isAlertKey ? [] : Array(changes[from..<end]),
      cursor: "\(epoch):\(isAlertKey ? 0 : end)", hasMore: !isAlertKey && end < changes.count, epoch: epoch,
      serverTime: time)
  }

  private func take(_ received: ReceivedMutation) -> ItemResult {
    let id = received.id.description
    guard case .valid(let mutation) = received, !rejects.contains(received.entityID) else {
      return ItemResult(id: id, status: .rejected, code: "invalid_name", message: "not that name")
    }
    return once(id) { apply(mutation) }
  }

  private func once(_ id: String, _ effect: () -> Void) -> ItemResult {
    if let known = results[id] { return known }
    effect()
    effects.append(id)
    results[id] = ItemResult(id: id, status: .duplicate, appliedAt: time)
    return ItemResult(id: id, status: .applied, appliedAt: time)
  }

  private func apply(_ mutation: Mutation) {
    switch mutation.change {
    case .activateAlert(let activation):
      let id = AlertID(mutation.entityID)
      let alert = Alert(
        id: id, startedAt: activation.startedAt, message: activation.message, location: activation.location,
        isDrill: activation.isDrill)
      let record = AlertRecord(alert: alert, ordinal: Int64(alerts.count + 1), receivedAt: time, endReceivedAt: nil)
      alerts[id] = record
      changes.append(.alert(record))
    case .updateAlert(let update):
      guard var record = alerts[AlertID(mutation.entityID)] else { return }
      record.newestUpdate = NewestUpdate(id: mutation.id, update: update)
      alerts[record.alert.id] = record
      changes.append(.alert(record))
    case .deactivateAlert(let end):
      guard var record = alerts[AlertID(mutation.entityID)] else { return }
      record.alert.end(at: end.endedAt)
      record.endReceivedAt = time
      alerts[record.alert.id] = record
      changes.append(.alert(record))
    case .putContact(let details):
      changes.append(
        .contact(ContactID(mutation.entityID), ContactRecord(details: details, webhookSecret: "whsec_AAAA")))
    case .removeContact: changes.append(.contact(ContactID(mutation.entityID), nil))
    case .putProfile(let profile): changes.append(.profile(AccountID(mutation.entityID), profile))
    case .seeInbox, .answerInbox: break
    }
  }

  private func refresh(_ request: TransportRequest) -> HTTPAnswer {
    guard let asked = try? TokenRequest(jsonBytes: request.body), asked.refreshToken == refreshToken else {
      return problem(.sessionRevoked)
    }
    // A repeated request gets the same answer, since the successor only counts once it is used.
    accessToken = "access-2"
    let tokens = TokenResponse(
      accessToken: accessToken, refreshToken: "refresh-2", expiresAt: time.advanced(byMilliseconds: 900_000))
    return json(tokens.json())
  }

  /// Restores the server from a backup of an empty account.
  func restoreEmpty() {
    epoch = "e2"
    results = [:]
    changes = []
    alerts = [:]
  }

  private func json(_ body: [UInt8]) -> HTTPAnswer {
    HTTPAnswer(status: 200, headers: ["content-type": "application/json"], body: body)
  }

  func problem(_ kind: Problem.Kind) -> HTTPAnswer {
    HTTPAnswer(
      status: kind.status, headers: ["content-type": Problem.mediaType], body: Problem(kind, "because").json())
  }
}

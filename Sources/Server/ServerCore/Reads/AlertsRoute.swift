import Model
import Wire

/// The reads of alerts: one's own, and as a responder those of the people who named one.
enum AlertsRoute {
  private static let defaultLimit = 50
  private static let maximumLimit = 500

  /// `GET /v1/alerts?active=&responding=&limit=&before=`: `{"alerts": […], "next": "…" | null}`, newest first. `next` is the
  /// `before` of the following page.
  static func list(_ context: inout RequestContext) throws -> ServerResponse {
    guard case .session(let account, _, let phone) = context.principal else {
      throw Problem(.unauthorized, "sign in first")
    }
    let query = AlertsQuery(context.request.query)
    let limit = try query.limit(default: defaultLimit, maximum: maximumLimit)
    let activeOnly = try query.flag("active")
    let isResponding = try query.flag("responding")
    var alerts =
      if isResponding {
        try context.transaction.alerts(
          of: account, andOfThoseNaming: phone, activeOnly: activeOnly, before: query.receivedPosition(),
          limit: limit + 1)
      } else {
        try context.transaction.alerts(
          of: account, activeOnly: activeOnly, before: query.ordinal(), limit: limit + 1)
      }
    var next: String?
    if alerts.count > limit {
      alerts.removeLast()
      next = alerts.last.map { isResponding ? AlertsQuery.text(of: $0.receivedPosition) : String($0.record.ordinal) }
    }
    return .json(body(try views(of: alerts, context), next: next))
  }

  /// `GET /v1/alerts/{id}`: the alert with its receipts; a responder sees their own receipts only.
  static func get(_ context: inout RequestContext) throws -> ServerResponse {
    guard case .session(let account, _, let phone) = context.principal else {
      throw Problem(.unauthorized, "sign in first")
    }
    guard let id = AlertID(context.parameters[0]) else { throw unknown }
    let own = try context.transaction.alert(id, of: account)
    guard let alert = try own ?? context.transaction.alerts(id, ofThoseNaming: phone).first else { throw unknown }
    return .json(try single(alert, responder: own == nil ? phone : nil, context))
  }

  static let unknown = Problem(.notFound, "there is no such alert that you may see")

  /// One alert as a whole body; to a `responder`, by their number, with their own receipts only.
  static func single(_ alert: StoredAlert, responder: String?, _ context: RequestContext) throws -> [UInt8] {
    let transaction = context.transaction
    var receipts = try transaction.deliveries(of: alert.id, account: alert.account)
    if let responder {
      let contacts = try transaction.contacts(of: alert.account)
        .filter { $0.details.isResponder && $0.details.phone == responder }.map(\.id)
      receipts.removeAll { !contacts.contains($0.target.contact) }
    }
    var view = try view(of: alert, context)
    view.receipts = receipts.map(\.receipt)
    var json = JSONWriter()
    view.write(to: &json)
    return json.bytes
  }

  private static func body(_ views: [AlertView], next: String?) -> [UInt8] {
    var json = JSONWriter()
    json.object { json in
      json.key("alerts")
      json.array { for view in views { view.write(to: &$0) } }
      json.member("next", next)
    }
    return json.bytes
  }

  private static func views(of alerts: [StoredAlert], _ context: RequestContext) throws -> [AlertView] {
    try alerts.map { try view(of: $0, context) }
  }

  private static func view(of alert: StoredAlert, _ context: RequestContext) throws -> AlertView {
    AlertView(
      alert: alert, phone: try context.transaction.account(alert.account)?.phone ?? "",
      noContactSince: try Supervision.noContactSince(alert, now: context.now, in: context.transaction))
  }
}

extension StoredAlert {
  var receivedPosition: ReceivedPosition { ReceivedPosition(receivedAt: record.receivedAt, id: id) }
}

import Model
import Wire

/// The reads of alerts: one's own, and as a responder those of the people who named one.
enum AlertsRoute {
  private static let defaultLimit = 50
  private static let maximumLimit = 500

  /// `GET /v1/alerts?active=&responding=&limit=&before=`: `{"alerts": […], "next": "…" | null}`, newest first. `next` is the
  /// `before` of the following page.
  static func list(_ input: RouteInput) throws(Problem) -> Rule<Caller> {
    let query = AlertsQuery(input.request.query)
    let limit = try query.limit(default: defaultLimit, maximum: maximumLimit)
    let activeOnly = try query.flag("active")
    let isResponding = try query.flag("responding")
    var needs = RequestNeeds()
    needs.alertList =
      isResponding
      ? .responding(activeOnly: activeOnly, before: try query.receivedPosition(), limit: limit + 1)
      : .own(activeOnly: activeOnly, before: try query.ordinal(), limit: limit + 1)
    return Rule(needs) { _, work in
      let page = work.facts.listedAlerts.prefix(limit)
      let hasMore = work.facts.listedAlerts.count > limit
      let next = hasMore ? page.last.map { place(of: $0.alert, isResponding: isResponding) } : nil
      return .json(body(page.map { AlertView($0, now: work.now) }, next: next))
    }
  }

  /// `GET /v1/alerts/{id}`: the alert with its receipts; a responder sees their own receipts only.
  static func get(_ input: RouteInput) throws(Problem) -> Rule<Caller> {
    guard let id = AlertID(input.parameters[0]) else { throw unknown }
    var facts = FactNeeds()
    facts.contacts = true
    facts.deliveriesOfAlerts = [id]
    var needs = RequestNeeds()
    needs.visibleAlert = VisibleAlertNeed(id, with: facts)
    return Rule(needs) { caller, work throws(Problem) in
      let own = work.facts.ownAlert
      guard let listed = own ?? work.facts.alertsNaming.first else { throw unknown }
      let receipts = work.decide(about: listed.alert.account) { work in
        work.state.receipts(of: id, responder: own == nil ? caller.account.phone : nil)
      }
      return single(listed, receipts, now: work.now)
    }
  }

  static let unknown = Problem(.notFound, "there is no such alert that you may see")

  /// One alert as a whole body.
  static func single(_ listed: ListedAlert, _ receipts: [Receipt], now: Timestamp) -> ServerResponse {
    var json = JSONWriter()
    AlertView(listed, now: now, receipts: receipts).write(to: &json)
    return .json(json.bytes)
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

  private static func place(of alert: StoredAlert, isResponding: Bool) -> String {
    isResponding
      ? AlertsQuery.text(of: ReceivedPosition(receivedAt: alert.record.receivedAt, id: alert.id))
      : String(alert.record.ordinal)
  }
}

extension AccountState {
  /// Of one alert, by the contact's name; for a `responder`, by their number, their own only.
  mutating func receipts(of alert: AlertID, responder: String?) -> [Receipt] {
    let deliveries = deliveries(of: alert)
    guard let responder else { return deliveries.filter(\.hasReceipt).map(\.receipt) }
    let contacts = allContacts().filter { $0.details.isResponder && $0.details.phone == responder }.map(\.id)
    return deliveries.filter {
      $0.hasReceipt && !$0.isOfEarlierNumber && contacts.contains($0.target.contact)
    }.map(\.receipt)
  }
}

import Model
import Wire

/// `POST /v1/alerts/{id}/acknowledgements`: a responder says "I am responding". Answers with the alert.
enum AcknowledgementsRoute {
  static func rule(_ input: RouteInput) throws(Problem) -> Rule<Caller> {
    guard let id = AlertID(input.parameters[0]) else { throw AlertsRoute.unknown }
    var facts = FactNeeds()
    facts.alerts = [id]
    facts.contacts = true
    facts.deliveriesOfAlerts = [id]
    facts.responses = [id]
    facts.deliveryCounts = [id]
    var needs = RequestNeeds()
    needs.visibleAlert = VisibleAlertNeed(id, with: facts)
    return Rule(needs) { caller, work throws(Problem) in try acknowledge(id, caller, &work) }
  }

  private static func acknowledge(
    _ id: AlertID, _ caller: Caller, _ work: inout RequestWork
  ) throws(Problem) -> ServerResponse {
    // Ids are unique within an account only: alerts of two people may share one, and both are acknowledged. Whoever has their own number
    // among their contacts is no help to themselves.
    let alerts = work.facts.alertsNaming.filter { $0.alert.account != caller.account.id }
    guard !alerts.isEmpty else {
      guard work.facts.ownAlert == nil else {
        throw Problem(.forbidden, "this alert is your own: its responders acknowledge it")
      }
      throw AlertsRoute.unknown
    }
    let active = alerts.filter(\.alert.record.alert.isActive)
    guard let first = active.first else {
      throw Problem(.conflict, "the alert has ended")
    }
    let receipts = active.map { acknowledge($0.alert, phone: caller.account.phone, &work) }
    return AlertsRoute.single(first, receipts.first ?? [], now: work.now)
  }

  /// The caller's receipts afterwards.
  private static func acknowledge(_ alert: StoredAlert, phone: String, _ work: inout RequestWork) -> [Receipt] {
    work.change(alert.account) { work in
      let responders = work.state.allContacts().filter { $0.details.isResponder && $0.details.phone == phone }
      for contact in responders {
        let earlier = work.state.response(of: contact.id, to: alert.id).flatMap { $0.answer.acknowledges ? $0 : nil }
        work.take(earlier?.answer ?? .responding, earlier?.text, of: contact, about: alert)
      }
      return work.state.receipts(of: alert.id, responder: phone)
    }
  }
}

import Model
import Secrets
import Testing
import Wire

@testable import ServerCore

/// Tests the rules of an exchange as functions of facts, without a store.
@Suite struct `The decision about an exchange` {
  private let now = Timestamp(milliseconds: 1_790_000_000_000)
  private let account = AccountRecord(
    id: AlertsDevice.identifier(), phone: "+12025550123", epoch: "epoch", createdAt: Timestamp(milliseconds: 1))
  private let device: DeviceID = AlertsDevice.identifier()

  private func exchange(_ mutations: [Mutation], _ notifications: [NotificationRequest] = []) throws -> Exchange {
    let queued = mutations.map {
      SyncRequestWriter.QueuedMutation(
        id: $0.id, kind: $0.change.kind, entityID: $0.entityID, occurredAt: $0.occurredAt,
        body: MutationBody.text(of: $0.change))
    }
    let body = SyncRequestWriter.body(
      deviceID: device, cursor: nil, mutations: queued, notifications: notifications, limit: 100)
    let request = try SyncRequest(jsonBytes: body)
    let secret = try #require(SecretKey(bytes: [UInt8](repeating: 7, count: SecretKey.byteCount)))
    return Exchange(
      request: request, account: account, isAlertKeyOnly: false, pageLimit: 100,
      allowance: AlertAllowance(rate: AlertRate(), stored: nil, now: now), session: AlertsDevice.identifier(),
      keys: ServerKeys(secret: secret))
  }

  /// The facts of an empty store.
  private func nothing(_ needs: FactNeeds) -> AccountFacts {
    var facts = AccountFacts()
    facts.needs = needs
    facts.record = account
    for alert in needs.deliveryCounts { facts.deliveryCounts[alert] = 0 }
    for seen in needs.newerUpdates { facts.newerUpdates[seen] = false }
    return facts
  }

  private func decide(_ exchange: Exchange, _ facts: AccountFacts) -> (outcome: Exchange.Outcome, missing: FactNeeds) {
    var work = AccountWork(
      configuration: ServerConfiguration(publicURL: "https://server.example"), now: now,
      state: AccountState(account: account.id, facts: facts), entropy: Entropy(seed: [UInt8](repeating: 1, count: 32)))
    let outcome = exchange.decide(&work)
    return (outcome, work.state.missing)
  }

  private func activation(_ alert: AlertID) -> Mutation {
    Mutation(
      id: AlertsDevice.identifier(), entityID: EntityID(alert), occurredAt: now,
      change: .activateAlert(
        AlertActivation(startedAt: now, message: "help", location: nil, isDrill: false, utcOffsetMinutes: nil)))
  }

  private func notification(_ alert: AlertID) -> NotificationRequest {
    NotificationRequest(id: AlertsDevice.identifier(), alertID: alert, notice: .activated)
  }

  @Test
  func `about an alert requests all its facts, and writes the alert, its messages and their log entries`()
    throws
  {
    let alert: AlertID = AlertsDevice.identifier()
    let exchange = try exchange([activation(alert)], [notification(alert)])
    var facts = nothing(FactNeeds(exchange.request, pageLimit: 100))
    let contact: ContactID = AlertsDevice.identifier()
    facts.contacts[contact] = try ContactDetails(
      name: "Ana", phone: "+12025550188", isResponder: true, isDependent: false,
      channels: [Channel("https://a.example/")])
    let (outcome, missing) = decide(exchange, facts)
    #expect(missing.isEmpty)
    #expect(outcome.response.results.map(\.status) == [.applied, .applied])
    #expect(outcome.writes.newAlerts.map(\.id) == [alert])
    #expect(outcome.writes.newAlerts.first?.notifiedAt == now)
    #expect(outcome.writes.newDeliveries.map(\.target.contact) == [contact])
    #expect(outcome.writes.changes.map(\.sequence) == [1, 2])
    #expect(outcome.writes.position == LogPosition(newestSequence: 2, newestOrdinal: 1))
    #expect(outcome.writes.results.count == 2)
    #expect(outcome.response.changes.count == 2, "the device gets both at once")
    #expect(outcome.hasQueuedDeliveries)
  }

  @Test func `is the same when it is repeated`() throws {
    let alert: AlertID = AlertsDevice.identifier()
    let exchange = try exchange([activation(alert)], [notification(alert)])
    let facts = nothing(FactNeeds(exchange.request, pageLimit: 100))
    let (first, second) = (decide(exchange, facts).outcome, decide(exchange, facts).outcome)
    #expect(first.response == second.response)
    #expect(first.writes.changes == second.writes.changes && first.writes.newAlerts == second.writes.newAlerts)
  }

  @Test func `names missing facts, instead of taking them for absent rows`() throws {
    let alert: AlertID = AlertsDevice.identifier()
    let exchange = try exchange([activation(alert)], [notification(alert)])
    var facts = AccountFacts()
    facts.record = account
    let missing = decide(exchange, facts).missing
    #expect(missing.alerts == [alert])
    #expect(missing.results.count == 2)
    #expect(missing.page != nil)
  }

  @Test func `returns the first result for a known item, and writes nothing`() throws {
    let alert: AlertID = AlertsDevice.identifier()
    let mutation = activation(alert)
    let exchange = try exchange([mutation])
    var facts = nothing(FactNeeds(exchange.request, pageLimit: 100))
    facts.results[mutation.id] = RecordedResult(
      fingerprint: Fingerprint.of(.valid(mutation)), verdict: .applied(at: Timestamp(milliseconds: 5)))
    let outcome = decide(exchange, facts).outcome
    #expect(outcome.response.results.map(\.status) == [.duplicate])
    #expect(outcome.writes.newAlerts.isEmpty && outcome.writes.changes.isEmpty && outcome.writes.position == nil)
  }
}

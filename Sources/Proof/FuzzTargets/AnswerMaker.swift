import LocalStore
import Model
import Wire

/// A well-formed answer to `batch`: right, wrong or absurd.
func response(_ input: inout FuzzInput, to batch: Batch) -> SyncResponse {
  var results: [ItemResult] = []
  for id in batch.mutations.map(\.id.description) + batch.notifications.map(\.id.description) {
    switch input.number(below: 5) {
    case 0: results.append(ItemResult(id: id, status: .applied, appliedAt: Sample.now))
    case 1: results.append(ItemResult(id: id, status: .duplicate))
    case 2:
      results.append(ItemResult(id: id, status: .rejected, code: input.optionalText(), message: input.optionalText()))
    case 3: results.append(ItemResult(id: id, status: .applied, appliedAt: time(&input)))
    default: break  // The server has not tried it.
    }
  }
  if input.flag() { results.append(ItemResult(id: input.text(), status: .applied)) }
  let changes = (0..<input.number(below: 6)).map { _ in change(&input, batch) }
  return SyncResponse(
    results: results, changes: changes, cursor: input.one(of: ["c1", "c2", ""]), hasMore: input.flag(),
    epoch: input.one(of: ["one", "one", "two", ""]), serverTime: time(&input),
    channels: input.flag() ? ["webhook", "sms", input.text()] : nil)
}

/// Within the years of four digits, as on the wire.
private func time(_ input: inout FuzzInput) -> Timestamp {
  Timestamp(Timestamp(milliseconds: input.integer()).description) ?? Sample.now
}

private func change(_ input: inout FuzzInput, _ batch: Batch) -> Change {
  let known = batch.mutations.map(\.entityID) + batch.notifications.map { EntityID($0.alertID) }
  let id: EntityID = known.isEmpty || input.flag() ? Sample.identifier(UInt64(input.byte())) : input.one(of: known)
  switch input.number(below: 6) {
  case 0:
    let alert = Alert(
      id: AlertID(id), startedAt: time(&input), endedAt: input.flag() ? time(&input) : nil,
      message: input.optionalText(),
      location: input.flag() ? Sample.location : nil, isDrill: input.flag())
    return .alert(
      AlertRecord(
        alert: alert, ordinal: input.integer(), receivedAt: time(&input),
        endReceivedAt: input.flag() ? time(&input) : nil))
  case 1: return .contact(ContactID(id), nil)
  case 2:
    guard let details = Sample.contact(input.text()) ?? Sample.contact() else { return .contact(ContactID(id), nil) }
    let tested = [TestedChannel(url: details.channels.first?.url ?? input.text(), at: time(&input))]
    let failed = [
      FailedChannel(url: details.channels.last?.url ?? input.text(), at: time(&input), reason: input.text())
    ]
    return .contact(
      ContactID(id), ContactRecord(details: details, webhookSecret: input.text(), tested: tested, failed: failed))
  case 3:
    guard let profile = try? Profile(name: input.text()) else { return .contact(ContactID(id), nil) }
    return .profile(AccountID(id), profile)
  case 4: return .inbox(InboxID(id), input.flag() ? inboxAlert(&input, InboxID(id)) : nil)
  default:
    return .receipt(
      Receipt(
        id: Sample.identifier(UInt64(input.byte())), alertID: AlertID(id), contactID: Sample.identifier(2),
        contactName: input.text(), notice: input.one(of: Notice.allCases),
        channel: input.one(of: Channel.Kind.allCases),
        state: input.one(of: DeliveryState.allCases), at: time(&input), reason: input.optionalText()))
  }
}

private func inboxAlert(_ input: inout FuzzInput, _ id: InboxID) -> InboxAlert {
  var alert = InboxAlert(
    id: id, alertID: AlertID(id), phone: input.text(), name: input.optionalText(), startedAt: time(&input),
    endedAt: input.flag() ? time(&input) : nil, isDrill: input.flag())
  alert.message = input.optionalText()
  alert.earlierMessages = input.flag() ? [InboxAlert.EarlierMessage(input.text(), at: time(&input))] : []
  let place = input.flag() ? Sample.location : nil
  alert.place = place.map { InboxAlert.Place(location: $0, accuracyMeters: nil, at: time(&input)) }
  alert.comers = input.flag() ? [input.text()] : []
  alert.response = InboxAlert.Response(
    InboxAnswer(input.one(of: ResponderAnswer.allCases), text: input.optionalText()), at: time(&input))
  alert.noContactSince = input.flag() ? time(&input) : nil
  return alert
}

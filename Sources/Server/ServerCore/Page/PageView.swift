import Model
import Wire

/// What the page of one responder shows, of one moment.
struct PageView {
  /// A responder who was told.
  struct Responder: Equatable {
    var name: String
    /// The furthest that any message to them got.
    var state: DeliveryState
    var stateAt: Timestamp
    var response: StoredResponse?
  }

  /// A call for help of the same person that is active, beside an alert that is over or a drill.
  struct OtherCall: Equatable {
    /// The path of the responder's page about it; nil where they were not sent its link.
    var path: String?
  }

  /// The page's own path on the server.
  var path: String
  /// With the times that people are told.
  var alert: Alert
  var receivedAt: Timestamp
  /// E.164.
  var phone: String { person.phone }
  /// Who raised it.
  var person: PersonName
  /// The words of all calls, newest first, the first call's last.
  var words: [SaidWords]
  /// There are others between the last two.
  var hasMoreWords: Bool
  var place: TrackPoint?
  /// Older ones, newest first.
  var earlierPlaces: [TrackPoint]
  var batteryPercent: Int?
  var noContactSince: Timestamp?
  /// Of the person who looks at the page.
  var response: StoredResponse?
  /// They said long ago that they come, and have not confirmed it.
  var isAskedToConfirm: Bool
  /// Nil where the page itself tells what matters.
  var otherCall: OtherCall?
  /// They have a message that they have not seen.
  var isUnseen: Bool
  /// By name.
  var others: [Responder]
  var utcOffsetMinutes: Int?
  var now: Timestamp

  /// May look at facts that were not fetched; it is then made again.
  init(_ visitor: PageVisitor, path: String, _ keys: ServerKeys, _ work: inout AccountWork) {
    self.path = path
    let stored = visitor.alert
    alert = stored.told
    receivedAt = stored.record.receivedAt
    person = PersonName(work.state.profile, phone: work.state.facts.record?.phone ?? "")
    (words, hasMoreWords) = stored.said(work.state.words(of: stored.id))
    batteryPercent = stored.record.newestUpdate?.update.batteryPercent
    noContactSince = Supervision.noContactSince(
      stored, lastContactAt: work.state.lastContact(of: stored.device), now: work.now)
    utcOffsetMinutes = stored.utcOffsetMinutes
    now = work.now
    var places = work.state.track(of: stored.id)
    if let first = alert.location {
      places.append(TrackPoint(at: alert.startedAt, location: first, accuracyMeters: nil))
    }
    place = places.first
    earlierPlaces = Array(places.dropFirst())
    let responses = work.state.responses(to: stored.id)
    let isAnswered =
      visitor.channel.map { channel in
        // In a drill each channel is answered for itself.
        work.state.help(about: stored.id, to: visitor.contact.id)
          .contains { $0.target.channel == channel && $0.state == .acknowledged }
      } ?? true
    response = isAnswered ? responses[visitor.contact.id] : nil
    isAskedToConfirm =
      stored.isAskedAbout && response.map { $0.answer.acknowledges && !$0.isFresh(at: work.now) } == true
    otherCall = Self.otherCall(than: visitor, path: path, keys, &work)
    isUnseen =
      alert.isActive && !work.state.unseen(stored.id, by: visitor.contact.id, through: visitor.channel).isEmpty
    others = Self.others(
      than: visitor.contact.id, work.state.deliveries(of: stored.id), responses,
      responders: work.responders())
  }

  private static func otherCall(
    than visitor: PageVisitor, path: String, _ keys: ServerKeys, _ work: inout AccountWork
  ) -> OtherCall? {
    let alert = visitor.alert.record.alert
    guard !alert.isActive || alert.isDrill else { return nil }
    let calls = work.state.activeCalls()
    guard !calls.isEmpty else { return nil }
    // A link is kept when the first message with it is sent.
    let told = calls.first { call in
      work.state.help(about: call.id, to: visitor.contact.id).contains { $0.attempts > 0 }
    }
    let token = told.map {
      keys.pageToken(alert: $0.id, contact: visitor.contact, account: visitor.link.account).text
    }
    let folder = path.lastIndex(of: "/").map { path[...$0] } ?? ""
    return OtherCall(path: token.map { "\(folder)\($0)" })
  }

  private static func others(
    than visitor: ContactID, _ deliveries: [StoredDelivery], _ responses: [ContactID: StoredResponse],
    responders: [Contact]
  ) -> [Responder] {
    // Nobody may count on somebody who was removed, or is no responder any more.
    let names = Dictionary(responders.map { ($0.id, $0.details.name) }) { first, _ in first }
    var told: [ContactID: Responder] = [:]
    for delivery in deliveries
    where delivery.isHelp && !delivery.isOfEarlierNumber && delivery.target.contact != visitor {
      let contact = delivery.target.contact
      guard let name = names[contact] else { continue }
      let responder = Responder(
        name: name, state: delivery.state, stateAt: delivery.stateAt, response: responses[contact])
      if let known = told[contact], known.state.rank >= delivery.state.rank { continue }
      told[contact] = responder
    }
    return told.sorted { ($0.value.name, $0.key.description) < ($1.value.name, $1.key.description) }.map(\.value)
  }
}

extension DeliveryState {
  /// Further is higher.
  fileprivate var rank: Int {
    switch self {
    case .failed: 0
    case .queued: 1
    case .sent: 2
    case .seen: 3
    case .acknowledged: 4
    }
  }
}

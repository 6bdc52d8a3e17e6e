import LocalStore
import Model

/// What the person at one device was told, and what the device has shown since.
struct DeviceLedger {
  /// An alert of which the person was told here that it is saved, or that its end is.
  struct ToldAlert {
    var alert: Alert
    var account: AccountID?
    /// Raised on this device, and not found active there.
    var isRaisedHere: Bool
    /// It was told as saved apart from the store.
    var isSpooled = false
    /// The step of the server's model when it was told first.
    var step = 0
    var isEnded = false
    var isDiscarded = false
    var isEndDiscarded = false
    /// The requests of it that a person discarded, by kind.
    var discardedRequests: Set<String> = []
  }

  /// An alert raised here whose data a sign-out or another account's sign-in removed.
  struct Released {
    var alert: ToldAlert
    /// A person had agreed to lose what was not sent of it.
    var isAgreed: Bool
    /// Nil: it was an alert of its own.
    var carriage: Carriage?
  }

  /// How a call that was told as saved apart may have come to the server without an alert of its own.
  struct Carriage {
    /// The alert of other calls that was made of it, since the one that it had met was over; nil where that was not seen.
    var anew: AlertID?
    /// It is a drill, which adds nothing to a real alert, and there was one.
    var isDrillBesideReal: Bool
  }

  /// What a person last did to a contact here.
  struct ToldContact {
    /// Nil: removed.
    var details: ContactDetails?
    /// The step of the server's model at that time.
    var step: Int
  }

  /// A real call for help that a person here was told is saved, with words that nobody else used.
  struct ToldPress {
    var id: AlertID
    var message: String
    /// What calls said after it that died, or that had no room: nobody was told that it is saved. What was saved of it is newer.
    var saidSince: [String] = []
  }

  let number: Int
  /// In their order, since the account was last changed.
  var presses: [ToldPress] = []
  var account: AccountID?
  /// Who is, or was, signed in last: whose data the device may still hold.
  var lastAccount: AccountID?
  private(set) var alerts: [AlertID: ToldAlert] = [:]
  /// In the order in which they were told.
  private(set) var alertIDs: [AlertID] = []
  var contacts: [ContactID: ToldContact] = [:]
  /// Up to which state of the server each contact was seen: the view never goes back behind it.
  var contactSteps: [ContactID: Int] = [:]
  /// Seen ended here: never to be seen active again.
  var seenEnded: Set<AlertID> = []
  /// The queue, as last seen, and at which step of the server.
  var lastView: DeviceView?
  var lastStep = 0
  /// Ids of queued items that a person gave up or retried, or agreed to lose.
  var givenUp: Set<String> = []
  private(set) var released: [Released] = []
  /// What calls were doing that died since the last look: nobody was told how they went.
  var deaths: [PersonCall] = []
  /// Those from before the last look, since a person here was last told of a commit. What such a call wrote shows late where
  /// it died before it told the other processes: when the log is read anew, and nobody has written over it.
  var earlierDeaths: [PersonCall] = []

  init(number: Int) { self.number = number }

  /// Ends of alerts that a person here gave up, whoever raised them.
  var givenUpEnds: Set<AlertID> = []
  var isDoubtful: Bool { !deaths.isEmpty }
  var hasTold: Bool { !alertIDs.isEmpty || !contacts.isEmpty }
  var toldAlerts: [ToldAlert] { alertIDs.compactMap { alerts[$0] } }

  func told(_ id: AlertID) -> ToldAlert? { alerts[id] }

  mutating func tell(_ alert: Alert, account: AccountID?, isRaisedHere: Bool, step: Int) {
    guard alerts[alert.id] == nil else { return }
    alerts[alert.id] = ToldAlert(alert: alert, account: account, isRaisedHere: isRaisedHere, step: step)
    alertIDs.append(alert.id)
  }

  mutating func change(_ id: AlertID, _ change: (inout ToldAlert) -> Void) {
    guard var told = alerts[id] else { return }
    change(&told)
    alerts[id] = told
  }

  /// Nobody was told that these words are saved.
  mutating func saidInDoubt(_ message: String) {
    guard let last = presses.indices.last else { return }
    presses[last].saidSince.append(message)
  }

  mutating func release(_ id: AlertID, isAgreed: Bool, carriage: Carriage? = nil) {
    guard let told = alerts.removeValue(forKey: id) else { return }
    alertIDs.removeAll { $0 == id }
    seenEnded.remove(id)
    if told.isRaisedHere { released.append(Released(alert: told, isAgreed: isAgreed, carriage: carriage)) }
  }

  /// As last seen; nil where the call was an alert of its own.
  func carriage(of told: ToldAlert) -> Carriage? {
    let id = told.alert.id
    let isOwnAlert = lastView.map { $0.entriesByID[id] != nil && !$0.spooled.contains(id) } ?? false
    guard told.isSpooled, !isOwnAlert else { return nil }
    let isRealThere =
      toldAlerts.contains { !$0.alert.isDrill } || lastView?.entries.contains { !$0.alert.isDrill } == true
    // One that was told before the call is the one that it met.
    let met = alertIDs.prefix(while: { $0 != id })
    let carrier = lastView?.carried[id]
    return Carriage(
      anew: met.contains { $0 == carrier } ? nil : carrier, isDrillBesideReal: told.alert.isDrill && isRealThere)
  }

  /// The person gave up the alert that carries the call, or what was queued of it.
  func isGivenUpWithCarrier(_ told: ToldAlert) -> Bool {
    guard let carrier = lastView?.carried[told.alert.id] else { return false }
    let isDiscarded = alerts[carrier].map { $0.isDiscarded || $0.discardedRequests.contains("alert.update") } ?? false
    return isDiscarded || lastView?.entriesByID[carrier]?.isDiscarded == true
  }

  /// The account's data is gone from the device, but for what is told apart.
  mutating func forgetViews() {
    presses = []
    contacts = [:]
    contactSteps = [:]
    seenEnded = []
  }

  /// The ids that were last seen queued for the entity.
  func lastQueued(of entity: EntityID) -> [String] { lastView?.items[entity]?.map(\.id) ?? [] }
}

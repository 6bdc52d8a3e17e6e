import LocalStore
import Model

/// What the person at one device was told, and what the device has shown since.
struct DeviceLedger {
  /// An alert that the person here was told is saved, or whose end is.
  struct ToldAlert {
    var alert: Alert
    var account: AccountID?
    /// Raised on this device, where it was not active yet.
    var isRaisedHere: Bool
    /// The person was told that it is saved in the spool.
    var isSpooled = false
    /// The step of the server's model when the person was first told.
    var step = 0
    var isEnded = false
    var isDiscarded = false
    var isEndDiscarded = false
    /// Its discarded notification requests and updates, by kind.
    var discardedRequests: Set<String> = []
  }

  /// An alert raised here whose rows were removed by a sign-out or by another account's sign-in.
  struct Released {
    var alert: ToldAlert
    /// A person agreed to lose what was unsent of it.
    var isAgreed: Bool
    /// Nil if it was an alert of its own.
    var carriage: Carriage?
  }

  /// How a call from the spool may have reached the server without an alert of its own.
  struct Carriage {
    /// The alert that was made of it and other calls because the one it met had ended; nil if that was not seen.
    var anew: AlertID?
    /// It is a drill that met a real alert, and so adds nothing.
    var isDrillBesideReal: Bool
  }

  /// The last thing that a person did to a contact here.
  struct ToldContact {
    /// Nil if removed.
    var details: ContactDetails?
    /// The step of the server's model at that time.
    var step: Int
  }

  /// A real call for help that the person here was told is saved. Its words are unique.
  struct ToldPress {
    var id: AlertID
    var message: String
  }

  let number: Int
  /// Oldest first, since the account last changed.
  var presses: [ToldPress] = []
  var account: AccountID?
  /// The account that is or was signed in last: the device may still hold its data.
  var lastAccount: AccountID?
  private(set) var alerts: [AlertID: ToldAlert] = [:]
  /// In the order in which they were told.
  private(set) var alertIDs: [AlertID] = []
  var contacts: [ContactID: ToldContact] = [:]
  /// The server state up to which each contact was seen: the device may not show an older one.
  var contactSteps: [ContactID: Int] = [:]
  /// Alerts seen ended here, which may not be seen active again.
  var seenEnded: Set<AlertID> = []
  /// The last view, and the server's step at that time.
  var lastView: DeviceView?
  var lastStep = 0
  /// Ids of queued items that a person discarded, retried, or agreed to lose.
  var givenUp: Set<String> = []
  private(set) var released: [Released] = []
  /// The calls that died since the last look: nobody was told their outcome.
  var deaths: [PersonCall] = []
  /// The calls that died before the last look and since a person here was last told of a commit. The effect of such a call may
  /// appear late if it died before it told the other processes: when the log is read again and nobody has overwritten it.
  var earlierDeaths: [PersonCall] = []

  init(number: Int) { self.number = number }

  /// Alerts whose end a person here discarded, whoever raised them.
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

  mutating func release(_ id: AlertID, isAgreed: Bool, carriage: Carriage? = nil) {
    guard let told = alerts.removeValue(forKey: id) else { return }
    alertIDs.removeAll { $0 == id }
    seenEnded.remove(id)
    if told.isRaisedHere { released.append(Released(alert: told, isAgreed: isAgreed, carriage: carriage)) }
  }

  /// By the last view; nil if the call was an alert of its own.
  func carriage(of told: ToldAlert) -> Carriage? {
    let id = told.alert.id
    let isOwnAlert = lastView.map { $0.entriesByID[id] != nil && !$0.spooled.contains(id) } ?? false
    guard told.isSpooled, !isOwnAlert else { return nil }
    let isRealThere =
      toldAlerts.contains { !$0.alert.isDrill } || lastView?.entries.contains { !$0.alert.isDrill } == true
    // An alert that was told before the call is the one that it met.
    let met = alertIDs.prefix(while: { $0 != id })
    let carrier = lastView?.carried[id]
    return Carriage(
      anew: met.contains { $0 == carrier } ? nil : carrier, isDrillBesideReal: told.alert.isDrill && isRealThere)
  }

  /// Whether the person discarded the alert that carries the call, or the update queued for it.
  func isGivenUpWithCarrier(_ told: ToldAlert) -> Bool {
    guard let carrier = lastView?.carried[told.alert.id] else { return false }
    let isDiscarded = alerts[carrier].map { $0.isDiscarded || $0.discardedRequests.contains("alert.update") } ?? false
    return isDiscarded || lastView?.entriesByID[carrier]?.isDiscarded == true
  }

  /// The account's data is gone from the device, apart from the told alerts.
  mutating func forgetViews() {
    presses = []
    contacts = [:]
    contactSteps = [:]
    seenEnded = []
  }

  /// The ids that were last seen queued for the entity.
  func lastQueued(of entity: EntityID) -> [String] { lastView?.items[entity]?.map(\.id) ?? [] }
}

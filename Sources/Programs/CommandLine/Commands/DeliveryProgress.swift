import LocalStore
import Model

/// What the store knows of an alert's delivery at one moment.
struct DeliveryView {
  var status: AlertStatus
  /// What is queued of the followed alerts, parked or not.
  var queued: [QueueItem]
  /// Whether the session has expired: the server then takes alerts and tells nothing.
  var isSessionExpired: Bool
  /// How far the followed call for help got; nil for an end.
  var press: PressProgress?
  /// The receipts of the ends that are followed.
  var safeReceipts: [Receipt] = []
  /// The alerts that are active. Only where ends are followed.
  var active: Set<AlertID> = []

  /// - Parameter ids: the alerts whose end is followed.
  static func read(_ store: LocalStore, ends ids: [AlertID]) throws(LocalStoreError) -> DeliveryView {
    var queued: [QueueItem] = []
    for id in ids { queued += try store.queue(of: EntityID(id)) }
    return DeliveryView(
      status: try store.status(.bounded), queued: queued, isSessionExpired: try store.session()?.isExpired ?? false,
      safeReceipts: try store.safeReceipts(of: ids), active: Set(try store.activeAlerts().map(\.id)))
  }

  static func read(
    _ store: LocalStore, _ alertID: AlertID, press: AlertID? = nil
  ) throws(LocalStoreError) -> DeliveryView {
    let progress = try press.flatMap { id throws(LocalStoreError) in try store.pressProgress(id) }
    let view = DeliveryView(
      status: try store.status(.bounded), queued: try store.queue(of: EntityID(progress?.alertID ?? alertID)),
      isSessionExpired: try store.session()?.isExpired ?? false, press: progress)
    // The press may have become an alert of its own between these readings, which then do not fit together.
    let later = try press.flatMap { id throws(LocalStoreError) in try store.pressProgress(id) }
    guard later?.alertID == progress?.alertID else { return try read(store, alertID, press: press) }
    return view
  }
}

/// What has been said of an alert's delivery, and whether there is more to wait for.
struct DeliveryProgress {
  /// The alert that carries the call: another one if the first turns out to have ended.
  private(set) var alertID: AlertID
  let notice: Notice
  /// The alerts whose end is followed: those that the server refused are not among them any more.
  private(set) var ends: [AlertID]
  /// Those whose end the server refused.
  private(set) var refusedEnds: [AlertID] = []
  /// Whether anybody is to be told.
  let hasResponders: Bool
  /// The news that are followed, if they are no call for help.
  let place: MutationID?
  /// Whether the call before those became an alert of its own, and took them along.
  private var isPassedOn = false
  private(set) var isAccepted = false
  /// Whether the server refused it for good, so that retrying does not help.
  private(set) var isRefused = false
  /// Whether the device hears nothing of the responders until somebody signs in.
  private(set) var isSessionExpired = false
  private var told: [Receipt] = []
  /// Messages that the server has and no channel has taken yet.
  private(set) var waiting: [Receipt] = []
  /// Receipts of calls before this one, which say nothing of this one.
  private(set) var earlier: [Receipt] = []
  private var lastError: String?
  /// Whether an attempt may have come through, so that the server may have it.
  private var mayHaveArrived = false
  /// Why nobody would be told, as last said.
  private(set) var nobodyIsTold: NobodyIsTold?
  private var isSettled = false
  /// How often each queued item was tried before the command began: how that ended says nothing of now.
  private let attemptsBefore: [String: Int]

  /// - Parameters:
  ///   - alsoEnded: the alerts that ended together with this one, if its end is followed.
  ///   - nobodySaid: why nobody would be told, as the command said before.
  init(
    alertID: AlertID, notice: Notice, alsoEnded: [AlertID] = [], hasResponders: Bool, place: MutationID? = nil,
    attemptsBefore: [String: Int] = [:], nobodySaid: NobodyIsTold? = nil
  ) {
    nobodyIsTold = nobodySaid
    ends = notice == .deactivated ? [alertID] + alsoEnded.filter { $0 != alertID } : []
    self.place = place
    self.attemptsBefore = attemptsBefore
    self.alertID = alertID
    self.notice = notice
    self.hasResponders = hasResponders
  }

  /// Whether nothing more can happen that is worth waiting for.
  var isDone: Bool { isRefused || isAccepted && (isSettled || !hasResponders || isSessionExpired || place != nil) }

  /// Whether nobody knows if the server has it: an attempt went out, and has no answer.
  var isOutcomeUnknown: Bool { !isAccepted && (mayHaveArrived || lastError == nil) }

  /// Whether responders were told of a call for help, and none of them has said that they come.
  var isAwaitingAnswers: Bool {
    notice == .activated && place == nil && told.contains { $0.state == .sent || $0.state == .seen }
      && !told.contains { $0.state == .acknowledged }
  }

  /// The lines that `view` adds to what was said.
  mutating func take(_ view: DeliveryView, _ time: LocalTime, _ console: Console) -> [String] {
    var lines: [String] = []
    isSessionExpired = view.isSessionExpired
    if place != nil { return takePlace(view, time, console) }
    if let press = view.press, press.alertID != alertID {
      alertID = press.alertID
      lines.append(DeliveryTexts.raisedAnew(console))
    }
    let refusals = refusedEnds(view, console)
    guard !isRefused else { return refusals }
    if !isAccepted, isAccepted(view) {
      isAccepted = true
      lines += nobody(view, console)
      lines.append(acceptance(view, time, console))
    } else if isAccepted {
      lines += nobody(view, console)
    }
    let receipts = receipts(view)
    waiting = receipts.filter { $0.state == .queued }
    for receipt in receipts where receipt.state != .queued && !told.contains(receipt) {
      let isSaid = told.contains { $0.saysOfAnotherAlert(receipt) }
      told.append(receipt)
      if !isSaid { lines.append(Self.line(receipt, time, console)) }
    }
    isSettled = !receipts.isEmpty && receipts.allSatisfy { $0.state != .queued }
    return lines + refusals + troubles(view, console)
  }

  /// The lines about news that are no call for help.
  private mutating func takePlace(_ view: DeliveryView, _ time: LocalTime, _ console: Console) -> [String] {
    guard !isDone else { return [] }
    var lines: [String] = []
    if let carrier = view.press, carrier.alertID != alertID {
      alertID = carrier.alertID
      isPassedOn = true
      lines.append(DeliveryTexts.raisedAnew(console))
    }
    guard view.status.isActive(alertID) else {
      isRefused = true
      return lines + [AlertTexts.callEndedMeanwhile]
    }
    // What was passed on waits under another id.
    if view.queued.contains(where: { $0.parked != nil || $0.id == place?.description || isPassedOn && $0.isNews }) {
      return lines + troubles(view, console)
    }
    isAccepted = true
    return lines + [DeliveryTexts.received(at: view.status.sync.lastSuccessAt.map(time.text), console)]
  }

  /// That nobody is told, if that is new.
  private mutating func nobody(_ view: DeliveryView, _ console: Console) -> [String] {
    guard notice == .activated, let alert = view.status.alert, view.status.nobodyIsTold != nobodyIsTold else {
      return []
    }
    nobodyIsTold = view.status.nobodyIsTold
    return nobodyIsTold.map { [DeliveryTexts.nobody($0, isDrill: alert.isDrill, console)] } ?? []
  }

  static func line(_ receipt: Receipt, _ time: LocalTime, _ console: Console) -> String {
    "  \(receipt.contactName.printable): " + ReceiptText.text(receipt, time, console)
  }

  /// Why it is not accepted, if that is new.
  private mutating func troubles(_ view: DeliveryView, _ console: Console) -> [String] {
    // Of these items: the error of the last exchange may be older than all of them.
    let failed = view.queued.last { $0.attempts > attemptsBefore[$0.id, default: 0] && $0.lastError != nil }
    let error = failed?.lastError?.printable
    defer { lastError = error ?? lastError }
    if error != nil, error != lastError {
      let kind = view.status.sync.lastErrorKind.flatMap { SyncFailure.Kind(rawValue: $0) }
      mayHaveArrived = mayHaveArrived || kind?.mayHaveArrived ?? false
    }
    guard !isRefused else { return [] }
    // A refused item blocks the rest of its alert.
    if notice == .activated, let parked = view.queued.compactMap(\.parked).first {
      isRefused = true
      return [notTaken(parked, view, console)]
    }
    guard !isAccepted, let error, error != lastError else { return [] }
    return [DeliveryTexts.retrying(Sentences.closed(error), isUnknown: mayHaveArrived, console)]
  }

  private func isAccepted(_ view: DeliveryView) -> Bool {
    switch notice {
    case .activated: view.press?.acceptedAt != nil
    // The store does not record when an end was accepted, but nothing of it is queued any more.
    case .deactivated: !view.queued.contains { item in ends.contains { item.entityID == EntityID($0) } }
    }
  }

  private func notTaken(_ parked: QueueItem.Parked, _ view: DeliveryView, _ console: Console) -> String {
    let reason = Sentences.closed(parked.message.printable)
    let isDrill = view.status.alert?.isDrill ?? false
    return DeliveryTexts.notTaken(reason, isCall: notice == .activated, isDrill: isDrill, console)
  }

  /// Says which ends the server did not take: another device called for help again first, or for good. The others are followed on.
  private mutating func refusedEnds(_ view: DeliveryView, _ console: Console) -> [String] {
    guard notice == .deactivated, !isRefused else { return [] }
    var lines: [String] = []
    let isOneOfSeveral = !refusedEnds.isEmpty || !ends.allSatisfy(view.active.contains)
    for id in ends {
      if view.active.contains(id) {
        lines.append(DeliveryTexts.notEnded(isOneOfSeveral: isOneOfSeveral, console))
      } else if let parked = view.queued.first(where: { $0.entityID == EntityID(id) && $0.parked != nil })?.parked {
        // A refused item blocks the rest of its alert.
        lines.append(notTaken(parked, view, console))
      } else {
        continue
      }
      refusedEnds.append(id)
    }
    ends.removeAll(where: refusedEnds.contains)
    isRefused = ends.isEmpty
    var said: Set<String> = []
    return lines.filter { said.insert($0).inserted }
  }

  /// The receipts about what is followed.
  private mutating func receipts(_ view: DeliveryView) -> [Receipt] {
    guard notice == .activated else { return view.safeReceipts.filter { ends.contains($0.alertID) } }
    guard view.status.alert?.id == alertID || view.status.isActive(alertID) else { return [] }
    // Whoever answered another active alert comes too.
    let receipts = view.status.responders.filter { $0.alertID == alertID || $0.isAnswer }
    earlier = receipts.filter { isOfEarlierCall($0, view.press) }
    return receipts.filter { !isOfEarlierCall($0, view.press) }
  }

  /// Whether it is about an earlier call. A person's answer stands for all calls.
  private func isOfEarlierCall(_ receipt: Receipt, _ press: PressProgress?) -> Bool {
    guard receipt.state == .sent || receipt.state == .failed, let press else { return false }
    guard let acceptedAt = press.acceptedAt else { return true }
    return receipt.at < acceptedAt
  }

  private func acceptance(_ view: DeliveryView, _ time: LocalTime, _ console: Console) -> String {
    let acceptedAt = notice == .activated ? view.press?.acceptedAt : view.status.sync.lastSuccessAt
    return DeliveryTexts.received(at: acceptedAt.map(time.text), console)
  }
}

extension Receipt {
  /// Whether `other` says the same of the same person about another alert, which ended together with this one.
  fileprivate func saysOfAnotherAlert(_ other: Receipt) -> Bool {
    notice == .deactivated && alertID != other.alertID && contactID == other.contactID && notice == other.notice
      && channel == other.channel && state == other.state && reason == other.reason
  }
}

extension QueueItem {
  /// Whether it is an alert, or news of one.
  fileprivate var isNews: Bool {
    [Mutation.Kind.activateAlert, .updateAlert].contains { $0.rawValue == kind }
  }
}

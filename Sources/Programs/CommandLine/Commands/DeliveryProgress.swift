import LocalStore
import Model

/// What the store says of an alert's way at one moment.
struct DeliveryView {
  var status: AlertStatus
  /// What is queued of this alert, parked or not.
  var queued: [QueueItem]
  /// Then the server takes alerts and tells nothing.
  var isSessionExpired: Bool
  /// How far the call for help that is followed got; nil for an end.
  var press: PressProgress?

  static func read(
    _ store: LocalStore, _ alertID: AlertID, press: AlertID? = nil
  ) throws(LocalStoreError) -> DeliveryView {
    let progress = try press.flatMap { id throws(LocalStoreError) in try store.pressProgress(id) }
    let alertID = progress?.alertID ?? alertID
    let status = try store.status()
    let isQueueEmpty = status.sync.pending + status.sync.parked == 0
    let queued = isQueueEmpty ? [] : try store.queue().filter { $0.entityID == EntityID(alertID) }
    return DeliveryView(
      status: status, queued: queued, isSessionExpired: try store.session()?.isExpired ?? false, press: progress)
  }
}

/// What of an alert's way has been told already, and whether there is more to wait for.
struct DeliveryProgress {
  /// The alert that carries the call: another one where the first turns out to have ended.
  private(set) var alertID: AlertID
  let notice: Notice
  /// Whether anybody is to be told at all.
  let hasResponders: Bool
  private(set) var isAccepted = false
  /// The server refused it for good: trying again does not help.
  private(set) var isRefused = false
  /// The device hears nothing of the responders until somebody signs in.
  private(set) var isSessionExpired = false
  private var told: [Receipt] = []
  /// Messages that the server has, and nobody took yet.
  private(set) var waiting: [Receipt] = []
  /// What became of the calls before this one: it says nothing of what was said now.
  private(set) var earlier: [Receipt] = []
  private var lastError: String?
  /// Why nobody would be told, as it was last said.
  private var nobodyIsTold: NobodyIsTold?
  private var isSettled = false

  init(alertID: AlertID, notice: Notice, hasResponders: Bool) {
    self.alertID = alertID
    self.notice = notice
    self.hasResponders = hasResponders
  }

  /// Nothing more is going to happen that is worth waiting for.
  var isDone: Bool { isRefused || isAccepted && (isSettled || !hasResponders || isSessionExpired) }

  /// The lines that `view` adds to what was told.
  mutating func take(_ view: DeliveryView, _ time: LocalTime, _ console: Console) -> [String] {
    var lines: [String] = []
    isSessionExpired = view.isSessionExpired
    if let press = view.press, press.alertID != alertID {
      alertID = press.alertID
      lines.append(
        console.styled(.warning, "The alert that was active had ended on another device, or the server has lost it.")
          + " Your call is a NEW alert now, and your responders are told of it.")
    }
    if let refusal = refusedEnd(view, console) { return [refusal] }
    if !isAccepted, isAccepted(view) {
      isAccepted = true
      if let nobody = nobody(view) { lines.append(NobodyText.line(nobody, console)) }
      lines.append(acceptance(view, time, console))
    } else if isAccepted, let nobody = nobody(view) {
      lines.append(NobodyText.line(nobody, console))
    }
    let receipts = receipts(view)
    waiting = receipts.filter { $0.state == .queued }
    for receipt in receipts where receipt.state != .queued && told.first(where: { $0 == receipt }) == nil {
      told.append(receipt)
      lines.append(Self.line(receipt, time, console))
    }
    isSettled = !receipts.isEmpty && receipts.allSatisfy { $0.state != .queued }
    return lines + troubles(view, console)
  }

  /// Why nobody is told, where that is news.
  private mutating func nobody(_ view: DeliveryView) -> NobodyIsTold? {
    guard notice == .activated, view.status.alert?.isDrill == false, view.status.nobodyIsTold != nobodyIsTold else {
      return nil
    }
    nobodyIsTold = view.status.nobodyIsTold
    return nobodyIsTold
  }

  static func line(_ receipt: Receipt, _ time: LocalTime, _ console: Console) -> String {
    "  \(receipt.contactName.printable): " + ReceiptText.text(receipt, time, console)
  }

  /// Why it is not accepted, where that is news.
  private mutating func troubles(_ view: DeliveryView, _ console: Console) -> [String] {
    let error = SyncText.lastError(view.status.sync)
    defer { lastError = error }
    guard !isRefused else { return [] }
    // It holds back the rest of its alert.
    if let parked = view.queued.compactMap(\.parked).first {
      isRefused = true
      return [
        console.styled(.bad, "NOT TAKEN by the server:") + " " + SyncText.sentence(parked.message.printable)
          + (notice == .activated ? " Call for help another way now." : " Tell your responders another way.")
          + "\nIt stays saved on this device. See: lifesignal queue list"
      ]
    }
    guard !isAccepted, let error, error != lastError else { return [] }
    return [console.styled(.warning, "NOT SENT YET:") + " " + SyncText.sentence(error) + " Trying again."]
  }

  private func isAccepted(_ view: DeliveryView) -> Bool {
    switch notice {
    case .activated: view.press?.acceptedAt != nil
    // The store does not tell when an end was accepted, but nothing of it is queued any more.
    case .deactivated: view.queued.isEmpty
    }
  }

  /// Another device called for help again before the end came to the server, which so did not take it.
  private mutating func refusedEnd(_ view: DeliveryView, _ console: Console) -> String? {
    guard notice == .deactivated, !isRefused, view.status.alert?.id == alertID, view.status.alert?.isActive == true
    else {
      return nil
    }
    isRefused = true
    return console.styled(.bad, "NOT ENDED:")
      + " help was called for again on another device, after what you saw here.\n"
      + "The alert is still ACTIVE. Look at it, and if you are safe, end it once more:\n"
      + "  lifesignal alert status\n  lifesignal alert deactivate"
  }

  /// Those that are about what is followed.
  private mutating func receipts(_ view: DeliveryView) -> [Receipt] {
    guard view.status.alert?.id == alertID else { return [] }
    guard notice == .activated else { return view.status.safeReceipts }
    let receipts = view.status.responders
    earlier = receipts.filter { isOfEarlierCall($0, view.press) }
    return receipts.filter { !isOfEarlierCall($0, view.press) }
  }

  /// What a person answered stands, whichever call it was.
  private func isOfEarlierCall(_ receipt: Receipt, _ press: PressProgress?) -> Bool {
    guard receipt.state == .sent || receipt.state == .failed, let press else { return false }
    guard let acceptedAt = press.acceptedAt else { return true }
    return receipt.at < acceptedAt
  }

  private func acceptance(_ view: DeliveryView, _ time: LocalTime, _ console: Console) -> String {
    let acceptedAt = notice == .activated ? view.press?.acceptedAt : view.status.sync.lastSuccessAt
    return console.styled(.good, "RECEIVED") + " by the server" + (acceptedAt.map { " at \(time.text($0))" } ?? "")
      + "."
  }
}

import LocalStore
import Model

/// What of an alert's way has been told already, and whether there is more to wait for.
struct DeliveryProgress {
  let alertID: AlertID
  let notice: Notice
  /// Whether anybody is to be told at all.
  let hasResponders: Bool
  private(set) var isAccepted = false
  private var told: [Receipt] = []
  /// Messages that the server has, and nobody took yet.
  private(set) var waiting: [Receipt] = []
  private var lastError: String?
  private var isSettled = false

  init(alertID: AlertID, notice: Notice, hasResponders: Bool) {
    self.alertID = alertID
    self.notice = notice
    self.hasResponders = hasResponders
  }

  /// Nothing more is going to happen that is worth waiting for.
  var isDone: Bool { isAccepted && (isSettled || !hasResponders) }

  /// The lines that `status` adds to what was told.
  mutating func take(_ status: AlertStatus, _ time: LocalTime, _ console: Console) -> [String] {
    var lines: [String] = []
    if !isAccepted, isAccepted(status) {
      isAccepted = true
      lines.append(acceptance(status, time, console))
    }
    let receipts = receipts(status)
    waiting = receipts.filter { $0.state == .queued }
    for receipt in receipts where receipt.state != .queued && told.first(where: { $0 == receipt }) == nil {
      told.append(receipt)
      lines.append(Self.line(receipt, time, console))
    }
    isSettled = !receipts.isEmpty && receipts.allSatisfy { $0.state != .queued }
    if !isAccepted, let error = SyncText.lastError(status.sync), error != lastError {
      lines.append(console.styled(.warning, "NOT SENT YET:") + " \(error). Trying again.")
    }
    lastError = SyncText.lastError(status.sync)
    return lines
  }

  static func line(_ receipt: Receipt, _ time: LocalTime, _ console: Console) -> String {
    "  \(receipt.contactName.printable): " + ReceiptText.text(receipt, time, console)
  }

  private func isAccepted(_ status: AlertStatus) -> Bool {
    switch notice {
    case .activated: status.alert?.id == alertID && status.stage == .accepted
    // The store does not tell when an end was accepted, but nothing of it is queued any more.
    case .deactivated: status.sync.pending == 0
    }
  }

  private func receipts(_ status: AlertStatus) -> [Receipt] {
    guard status.alert?.id == alertID else { return [] }
    return notice == .activated ? status.responders : status.safeReceipts
  }

  private func acceptance(_ status: AlertStatus, _ time: LocalTime, _ console: Console) -> String {
    let acceptedAt = notice == .activated ? status.acceptedAt : status.sync.lastSuccessAt
    return console.styled(.good, "RECEIVED") + " by the server" + (acceptedAt.map { " at \(time.text($0))" } ?? "")
      + "."
  }
}

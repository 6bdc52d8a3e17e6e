import Model
import Wire

/// The server's decision about one item.
enum ItemVerdict: Equatable {
  case applied
  /// Applied before: the alert is stored, and has ended since.
  case appliedToEnded(at: Timestamp)
  /// Refused for good. The refusal is recorded.
  case rejected(code: String, message: String)
  /// Refused for now: the same id may be applied later.
  case refusedNow(code: String, message: String)
  /// The alert to be updated has ended: the device turns the call into a new alert.
  case alertEnded(at: Timestamp)
  /// Another device called for help again, unseen by the person who ended the alert: it stays active.
  case newerCallForHelp(MutationID?)
  /// At a limit for now. It gets no result, so it stays queued on the device; the answer lists it as waiting.
  case later(code: String, milliseconds: Int64)

  static let unknownAlert = Self.refusedNow(
    code: ItemResult.unknownAlert, message: "the server knows no such alert of yours")
  static let notEnded = Self.refusedNow(
    code: "alert_not_ended", message: "the alert is still active: its end must come first")
  static let forbidden = Self.refusedNow(
    code: "forbidden", message: "an alert key may raise and end alerts, and nothing else: sign in")

  static func tooMany(_ things: String, _ limit: Int) -> Self {
    .refusedNow(code: "too_many_\(things)", message: "an account has at most \(limit) \(things)")
  }
}

extension ItemVerdict {
  static func tooManyAlerts(waitMilliseconds: Int64) -> Self {
    .later(code: "too_many_alerts", milliseconds: waitMilliseconds)
  }

  /// Some queued messages will have been sent by then.
  static let tooManyMessages = Self.later(code: "too_many_messages", milliseconds: 10_000)
}

extension ItemResult {
  /// The result of a new verdict; nil for `later`.
  init?(id: String, _ verdict: ItemVerdict, at now: Timestamp) {
    switch verdict {
    case .later: return nil
    case .applied: self.init(id: id, status: .applied, appliedAt: now)
    case .appliedToEnded(let time): self.init(id: id, status: .applied, appliedAt: now, endedAt: time)
    case .alertEnded(let time):
      self.init(
        id: id, status: .rejected, code: Self.alertEnded, message: "the alert has ended: raise a new one", endedAt: time
      )
    case .newerCallForHelp(let update):
      self.init(
        id: id, status: .rejected, code: Self.newerCallForHelp,
        message: "another device called for help again after this end: the alert is still active", newestUpdate: update)
    case .rejected(let code, let message), .refusedNow(let code, let message):
      self.init(id: id, status: .rejected, code: code, message: message)
    }
  }

  /// The result for an id that was seen before.
  init(id: String, repeating earlier: RecordedResult, fingerprint: UInt64) {
    guard earlier.fingerprint == fingerprint else {
      self.init(
        id: id, status: .rejected, code: "mutation_id_reused",
        message: "422: this id was used before, with another body")
      return
    }
    switch earlier.verdict {
    case .applied(let time): self.init(id: id, status: .duplicate, appliedAt: time)
    case .rejected(let code, let message): self.init(id: id, status: .rejected, code: code, message: message)
    }
  }
}

import LocalStore
import Model
import Wire

/// The JSON of alerts, as the command line's contract has it.
enum AlertJSON {
  /// `{"id":…,"started_at":…,"ended_at":…,"message":…,"location":…,"drill":…}`
  static func write(_ alert: Alert, to json: inout JSONWriter) {
    json.object { alert.writeMembers(to: &$0) }
  }

  /// The members of `alert status`: `active`, `alert`, `delivery`, `sync`; `discarded` if the newest alert was; `saved`, which is false, if the
  /// alert is only in memory; and if several alerts are active, `active_count` with the others as `other_active`. `delivery.responders` then
  /// has the answers to any of them.
  ///
  /// - Parameter isAnswerKept: false if the store cannot record the server's answers. The stage is then null unless the server is known
  ///   to have the alert.
  static func writeMembers(_ status: AlertStatus, isAnswerKept: Bool = true, to json: inout JSONWriter) {
    json.member("active", status.alert?.isActive ?? false)
    if !status.isSaved { json.member("saved", false) }
    if let discarded = status.discarded {
      json.key("discarded")
      write(discarded, to: &json)
    }
    json.key("alert")
    guard let alert = status.alert else {
      json.null()
      json.key("delivery")
      json.null()
      return writeSync(status.sync, to: &json)
    }
    write(alert, to: &json)
    json.key("update")
    if let update = status.newestUpdate { json.object { MutationBody.write(update, to: &$0) } } else { json.null() }
    if !status.otherActive.isEmpty {
      json.member("active_count", 1 + status.otherActive.count)
      json.key("other_active")
      json.array { for other in status.otherActive { write(other, to: &$0) } }
    }
    json.member("nobody_is_told", alert.isDrill ? nil : status.nobodyIsTold?.rawValue)
    json.key("delivery")
    json.object { json in
      let isStageKnown = status.stage == .accepted || status.isSaved && isAnswerKept
      json.member("stage", isStageKnown ? status.stage.rawValue : nil)
      json.member("accepted_at", status.acceptedAt?.description)
      if status.isEndUnsent { json.member("end_unsent", true) }
      json.key("responders")
      json.array { for receipt in status.responders { write(receipt, to: &$0) } }
      json.key("safe_notices")
      json.array { for receipt in status.safeReceipts { write(receipt, to: &$0) } }
    }
    writeSync(status.sync, to: &json)
  }

  /// `{"alert":…,"update":…}`
  private static func write(_ other: OtherActiveAlert, to json: inout JSONWriter) {
    json.object { json in
      json.key("alert")
      write(other.alert, to: &json)
      json.key("update")
      if let update = other.newestUpdate { json.object { MutationBody.write(update, to: &$0) } } else { json.null() }
    }
  }

  static func write(_ receipt: Receipt, to json: inout JSONWriter) {
    json.object {
      $0.member("contact_id", receipt.contactID.description)
      $0.member("name", receipt.contactName)
      $0.member("state", receipt.state.rawValue)
      $0.member("at", receipt.at.description)
      $0.member("channel", receipt.channel.rawValue)
      $0.member("reason", receipt.reason)
    }
  }

  private static func writeSync(_ sync: SyncOverview, to json: inout JSONWriter) {
    json.key("sync")
    json.object {
      $0.member("pending", sync.pending + sync.unsentOutside)
      $0.member("parked", sync.parked)
      $0.member("last_success_at", sync.lastSuccessAt?.description)
      $0.member("next_attempt_at", sync.nextAttemptAt?.description)
      $0.member("last_error", sync.lastError)
      $0.member("last_error_kind", sync.lastErrorKind)
      $0.member("signed_in", sync.signedIn)
    }
  }
}

import Model
import Wire

/// The overview for a program. Times are RFC 3339; a member that does not apply is null.
enum OverviewJSON {
  static func bytes(
    _ overview: OperatorOverview, _ counts: StoreCounts, _ codes: CodeFigures, _ certificateEnd: CertificateEnd?,
    now: Timestamp
  ) -> [UInt8] {
    var json = JSONWriter()
    json.object { json in
      json.member("server_time", now.description)
      json.member("active_alert_count", counts.activeAlerts)
      json.member("queued_message_count", counts.queuedDeliveries)
      json.key("active_alerts")
      json.array { for alert in overview.activeAlerts { write(alert, &$0) } }
      json.key("late_messages")
      json.array { for message in overview.lateMessages { write(message, &$0) } }
      json.key("failing_hosts")
      json.array { for host in overview.failingHosts { write(host, &$0) } }
      json.key("codes")
      write(codes, &json)
      json.member("certificate_end_at", certificateEnd?.at.description)
    }
    return json.bytes
  }

  private static func write(_ codes: CodeFigures, _ json: inout JSONWriter) {
    json.object { json in
      for result in CodeFigures.Result.allCases { json.member(result.rawValue, codes.count(result)) }
      json.member("is_failing", codes.isFailing)
      json.member("last_sent_at", codes.lastSentAt?.description)
      json.member("last_failure_at", codes.lastFailure?.at.description)
      json.member("last_failure_reason", codes.lastFailure?.reason)
      for work in CodeFigures.Work.allCases { json.member("work_" + work.rawValue, codes.count(work)) }
    }
  }

  private static func write(_ alert: OperatorOverview.ActiveAlert, _ json: inout JSONWriter) {
    json.object {
      $0.member("account_id", alert.account.description)
      $0.member("alert_id", alert.id.description)
      $0.member("received_at", alert.receivedAt.description)
      $0.member("is_drill", alert.isDrill)
      $0.member("phase", alert.phase?.rawValue)
      $0.member("silent_since", alert.silentSince?.description)
      $0.member("queued_messages", alert.queuedMessages)
      $0.member("sent_messages", alert.sentMessages)
      $0.member("failed_messages", alert.failedMessages)
    }
  }

  private static func write(_ message: OperatorOverview.LateMessage, _ json: inout JSONWriter) {
    json.object {
      $0.member("delivery_id", message.id.description)
      $0.member("host", message.host)
      $0.member("attempts", message.attempts)
      $0.member("created_at", message.createdAt.description)
      $0.member("due_at", message.dueAt.description)
      $0.member("reason", message.reason)
    }
  }

  private static func write(_ host: OperatorOverview.FailingHost, _ json: inout JSONWriter) {
    json.object {
      $0.member("host", host.host)
      $0.member("messages", host.messages)
      $0.member("attempts", host.attempts)
      $0.member("since", host.since.description)
      $0.member("reason", host.reason)
    }
  }
}

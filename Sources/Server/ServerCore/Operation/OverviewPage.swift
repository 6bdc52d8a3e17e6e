import Model
import Secrets

/// The overview for a person: a page without scripts that loads itself again.
struct OverviewPage {
  let overview: OperatorOverview
  let counts: StoreCounts
  let codes: CodeFigures
  /// Nil without TLS.
  let certificateEnd: CertificateEnd?
  let now: Timestamp

  static let contentSecurityPolicy = [
    "default-src 'none'", "style-src 'sha256-\(Base64.encode(SHA256.of(Array(style.utf8))))'", "base-uri 'none'",
    "frame-ancestors 'none'",
  ].joined(separator: "; ")

  private static let style =
    "body{font:15px/1.5 system-ui,sans-serif;margin:1.5rem;color-scheme:light dark}table{border-collapse:collapse}"
    + "th,td{text-align:left;padding:.2rem 1.2rem .2rem 0;border-bottom:1px solid #8886;vertical-align:top}"
    + ".bad{font-weight:600;color:#c22}code{font-size:.9em}"

  var html: HTML {
    let title = counts.activeAlerts == 1 ? "1 active alert" : "\(counts.activeAlerts) active alerts"
    let queued = counts.queuedDeliveries
    let waiting = queued == 1 ? "1 message waits to be sent" : "\(queued) messages wait to be sent"
    return """
      <!doctype html>
      <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
      <meta http-equiv="refresh" content="10"><title>\(title) – LifeSignal</title>
      <style>\(HTML(trusted: Self.style))</style></head><body>
      <h1>\(title)</h1>
      <p>\(waiting). \(now.description)</p>
      \(certificate)\(alerts)\(late)\(hosts)\(signIns)</body></html>

      """
  }

  private var certificate: HTML {
    guard let end = certificateEnd else { return .empty }
    guard let distance = end.distance(from: now) else {
      return "<p class=\"bad\">The TLS certificate EXPIRED at \(end.at.description): devices refuse this server.</p>\n"
    }
    let mark = HTML(trusted: end.isSoon(at: now) ? " class=\"bad\"" : "")
    return "<p\(mark)>The TLS certificate expires \(distance), at \(end.at.description).</p>\n"
  }

  private var alerts: HTML {
    let rows = overview.activeAlerts.map { alert -> HTML in
      let isUnanswered = !alert.isDrill && alert.phase != .answered && alert.phase != .checking
      let silence = alert.silentSince.map { ago($0) } ?? "–"
      return """
        <tr><td>\(ago(alert.receivedAt))</td><td>\(alert.isDrill ? "drill" : "real")</td>\
        <td\(HTML(trusted: isUnanswered ? " class=\"bad\"" : ""))>\(Self.word(alert.phase))</td><td>\(silence)</td>\
        <td>\(Int64(alert.sentMessages))</td><td>\(Int64(alert.queuedMessages))</td><td>\(Int64(alert.failedMessages))</td>\
        <td><code>\(alert.id.description)</code></td><td><code>\(alert.account.description)</code></td></tr>

        """
    }
    return table(
      "Active alerts", ["Received", "", "Answer", "Device silent", "Sent", "Waiting", "Failed", "Alert", "Account"],
      rows)
  }

  private var late: HTML {
    let rows = overview.lateMessages.map { message -> HTML in
      """
      <tr><td>\(ago(message.dueAt))</td><td>\(message.host)</td><td>\(Int64(message.attempts))</td>\
      <td>\(message.reason ?? "")</td><td><code>\(message.id.description)</code></td></tr>

      """
    }
    return table("Late messages", ["Due", "Host", "Attempts", "Last failure", "Delivery"], rows)
  }

  private var hosts: HTML {
    let rows = overview.failingHosts.map { host -> HTML in
      """
      <tr><td>\(host.host)</td><td>\(Int64(host.messages))</td><td>\(Int64(host.attempts))</td><td>\(ago(host.since))</td>\
      <td>\(host.reason ?? "")</td></tr>

      """
    }
    return table("Failing hosts", ["Host", "Messages", "Attempts", "Oldest", "A failure"], rows)
  }

  private var signIns: HTML {
    let failure = codes.lastFailure.map { "\(ago($0.at)): \($0.reason)" } ?? "–"
    let row: HTML = """
      <tr><td>\(Int64(codes.count(.sent)))</td><td>\(Int64(codes.count(.retried)))</td>\
      <td>\(Int64(codes.count(.failed)))</td><td>\(Int64(codes.count(.withheld)))</td>\
      <td>\(Int64(codes.count(.challenged)))</td><td>\(Int64(codes.count(.accepted)))</td>\
      <td>\(codes.lastSentAt.map { ago($0) } ?? "–")</td>\
      <td\(HTML(trusted: codes.isFailing ? " class=\"bad\"" : ""))>\(failure)</td></tr>

      """
    return table(
      "Sign-in codes since this server started",
      [
        "Sent", "Tried again", "Failed", "Blocked numbers", "Asked for work", "Sent for work", "Last sent",
        "Last failure",
      ], codes.isEmpty ? [] : [row])
  }

  private func table(_ title: String, _ columns: [String], _ rows: [HTML]) -> HTML {
    guard !rows.isEmpty else { return "<h2>\(title)</h2>\n<p>None.</p>\n" }
    let head = columns.map { "<th scope=\"col\">\($0)</th>" as HTML }
    return "<h2>\(title)</h2>\n<table><thead><tr>\(head)</tr></thead><tbody>\n\(rows)</tbody></table>\n"
  }

  private static func word(_ phase: Asking.Phase?) -> String {
    switch phase {
    case nil: "nobody is asked"
    case .asking: "none yet"
    case .answered: "somebody comes"
    case .checking: "being asked whether they still come"
    case .over: "none, and all were asked"
    }
  }

  private func ago(_ time: Timestamp) -> String {
    let seconds = max(0, now.milliseconds(since: time) / 1000)
    return seconds < 120 ? "\(seconds) s ago" : seconds < 7200 ? "\(seconds / 60) min ago" : "\(seconds / 3600) h ago"
  }
}

import Model
import ServerCore

/// `/metrics`: what the process measured, what is in it now, and what the store counts.
struct OperatorFigures: Sendable {
  let context: ServerContext
  let connections: ConnectionLimits
  let pool: RequestPool
  let writer: StoreWriter
  let inbox: OutboundInbox

  /// The store counts as of one moment, the rest is read right after.
  ///
  /// - Parameter counts: nil where the store cannot be read.
  func text(_ counts: StoreCounts?, at now: Timestamp) -> String {
    var text = MetricsText()
    text.gauge("lifesignal_store_answers", "1 if the store could be read just now.", counts == nil ? 0 : 1)
    if let counts { addStore(counts, at: now, &text) }
    addProcess(&text)
    let values = context.measurements.values
    addRequests(values, &text)
    addDeliveries(values, &text)
    return text.text
  }

  private func addStore(_ counts: StoreCounts, at now: Timestamp, _ text: inout MetricsText) {
    text.gauge("lifesignal_alerts", "Alerts ever received.", counts.alerts)
    text.gauge("lifesignal_active_alerts", "Alerts that have not ended.", counts.activeAlerts)
    text.gauge(
      "lifesignal_queued_deliveries", "Messages to responders that wait to be sent.", counts.queuedDeliveries)
    let late = counts.earliestDue.map { max(0, now.milliseconds(since: $0)) } ?? 0
    text.gauge(
      "lifesignal_late_delivery_seconds", "How long the first of the messages that are due has been due.",
      Int(late / 1000))
  }

  private func addProcess(_ text: inout MetricsText) {
    let streams = context.hub.counts
    text.gauge("lifesignal_connections", "Open connections to the public listener.", connections.count)
    text.gauge(
      "lifesignal_streams", "Open event streams.", by: "of", [("devices", streams.devices), ("pages", streams.pages)])
    let lengths = pool.waiting
    text.gauge(
      "lifesignal_waiting_requests", "Requests that wait for the store.", by: "for",
      [("write", writer.waiting), ("read", lengths.reads), ("operator", lengths.operations)])
    text.gauge("lifesignal_sender_works", "1 if messages to responders can be sent.", inbox.isWorking ? 1 : 0)
    if let end = context.rules.value.certificateEnd {
      text.gauge(
        "lifesignal_certificate_end_seconds", "When the certificate expires, in seconds since 1970.",
        Int(end.at.milliseconds / 1000))
    }
  }

  private func addRequests(_ values: Measurements.Values, _ text: inout MetricsText) {
    text.counter(
      "lifesignal_answers_total", "Answers by status.", by: "status",
      values.answers.sorted { $0.key < $1.key }.map { (String($0.key), $0.value) })
    text.histogram(
      "lifesignal_request_seconds",
      "From a whole request until its answer, where the store is needed; by whether it raised one.", by: "alert",
      [("yes", values.acceptance), ("no", values.otherRequests)])
    text.histogram(
      "lifesignal_acknowledgement_seconds", "From an alert's arrival until somebody comes, where nobody came before.",
      by: "drill",
      [("no", values.acknowledgements), ("yes", values.drillAcknowledgements)])
  }

  private func addDeliveries(_ values: Measurements.Values, _ text: inout MetricsText) {
    func sorted<Value>(_ values: [Channel.Kind: Value]) -> [(String, Value)] {
      values.map { ($0.key.rawValue, $0.value) }.sorted { $0.0 < $1.0 }
    }
    text.histogram(
      "lifesignal_delivery_seconds", "From a message's queueing until its channel took it.", by: "channel",
      sorted(values.deliveries))
    text.counter(
      "lifesignal_delivery_retries_total", "Attempts that failed and are followed by another.", by: "channel",
      sorted(values.retries))
    text.counter(
      "lifesignal_delivery_failures_total", "Messages given up after an attempt.", by: "channel",
      sorted(values.failures))
    text.counter(
      "lifesignal_codes_total",
      "Attempts to send a sign-in code: sent, tried again, given up, or none because its number is blocked.",
      by: "result", CodeFigures.Result.allCases.map { ($0.rawValue, values.codes.count($0)) })
    text.counter(
      "lifesignal_code_work_total",
      "Work before a sign-in code while too many are asked for: challenges given, proofs accepted, proofs refused.",
      by: "result", CodeFigures.Work.allCases.map { ($0.rawValue, values.codes.count($0)) })
  }
}

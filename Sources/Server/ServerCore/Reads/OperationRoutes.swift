import PhoneNumbers
import Wire

extension ServerCore {
  /// Writes a few bytes, durably. Throws `StorageError` where the store takes none.
  package func proveWritable(at moment: ServerMoment, in store: any ServerStore) throws {
    let bytes = withUnsafeBytes(of: moment.now.milliseconds.littleEndian) { Array($0) }
    try store.write { try $0.setServerState("ready", to: bytes) }
  }
}

/// What an operator's probes ask.
enum OperationRoutes {
  /// `GET /ready`: the store answers (otherwise `respond` makes it a 503), and people can sign in.
  static func ready(_ input: RouteInput) -> Rule<Void> {
    var needs = RequestNeeds()
    needs.serverState = "ready"
    return Rule(needs) { _, _ in
      PhoneNumber.unavailability() == nil ? .text("ready\n") : .problem(Verifications.unavailable)
    }
  }

  /// `GET /metrics`, in the text format of Prometheus (version 0.0.4).
  static func metrics(_ input: RouteInput) -> Rule<Void> {
    var needs = RequestNeeds()
    needs.storeCounts = true
    return Rule(needs) { _, work in
      let counts = work.facts.storeCounts
      let lines = [
        gauge("lifesignal_alerts", "Alerts ever received.", counts.alerts),
        gauge("lifesignal_active_alerts", "Alerts that have not ended.", counts.activeAlerts),
        gauge("lifesignal_queued_deliveries", "Messages to responders that wait to be sent.", counts.queuedDeliveries),
      ]
      return .text(lines.joined(), mediaType: "text/plain; version=0.0.4; charset=utf-8")
    }
  }

  private static func gauge(_ name: String, _ help: String, _ value: Int) -> String {
    "# HELP \(name) \(help)\n# TYPE \(name) gauge\n\(name) \(value)\n"
  }
}

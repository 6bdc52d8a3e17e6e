package import Model

/// The answer to `GET /health`: identifies a LifeSignal server and gives its time.
package struct HealthResponse: Hashable, Sendable {
  package static let serviceName = "lifesignal"

  package var service: String
  package var serverTime: Timestamp

  package init(service: String = Self.serviceName, serverTime: Timestamp) {
    self.service = service
    self.serverTime = serverTime
  }

  package func json() -> [UInt8] {
    var json = JSONWriter()
    json.object {
      $0.member("service", service)
      $0.member("status", "ok")
      $0.member("server_time", serverTime.description)
    }
    return json.bytes
  }
}

extension HealthResponse: JSONBody {
  package init(json: JSONValue) throws(JSONError) {
    service = try json.string("service")
    serverTime = try json.timestamp("server_time")
  }
}

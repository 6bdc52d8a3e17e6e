import Model
import Testing
import Wire

@testable import ServerCore

@Suite struct `The operator's pages` {
  private let server: AlertsServer
  private let device: AlertsDevice

  init() throws {
    server = try AlertsServer()
    device = try server.signIn("+12025550123")
  }

  private func get(_ path: String) -> ServerOutcome {
    server.core.respond(
      to: ServerRequest(method: "GET", path: path, remoteAddress: "unix"), at: server.moment(), in: server.store,
      table: .operation)
  }

  @Test func `are not on the public listener`() {
    for path in [Route.overview, Route.overviewJSON, Route.metrics] { #expect(server.send("GET", path).status == 404) }
    for entry in RouteTable.operation.entries { #expect(entry.access == .anyone && entry.method == "GET") }
  }

  @Test func `show what goes on, and nobody's name, number, message or place`() throws {
    let place = try Location(latitude: 52.5163, longitude: 13.3777)
    _ = try device.sync([
      device.contact(AlertsDevice.identifier(), "Ana <b>", phone: "+12025550188", "https://hooks.example/secret-token")
    ])
    let alert = try device.raise(message: "I fell", location: place)
    for path in [Route.overview, Route.overviewJSON] {
      let answer = get(path)
      #expect(answer.status == 200)
      #expect(answer.text.contains("\(alert)"))
      for secret in ["2025550", "Ana", "secret-token", "I fell", "52.5", "13.37"] {
        #expect(!answer.text.contains(secret), "\(path): \(secret)")
      }
    }
    #expect(get(Route.overview).text.contains("<h1>1 active alert</h1>"))
    #expect(get(Route.overview).header("Content-Security-Policy")?.contains("default-src 'none'") == true)
    #expect(get(Route.overviewJSON).text.contains(#""active_alert_count":1,"queued_message_count":1"#))
  }

  @Test func `call a message late five seconds after it was due`() throws {
    _ = try device.sync([device.contact(AlertsDevice.identifier(), "Ana", "https://hooks.example/a")])
    _ = try device.raise()
    server.advance(seconds: 5)
    #expect(get(Route.overviewJSON).text.contains(#""late_messages":[]"#))
    server.advance(seconds: 1)
    #expect(get(Route.overviewJSON).text.contains(#""host":"hooks.example","attempts":0"#))
    #expect(get(Route.overview).text.contains("<td>6 s ago</td><td>hooks.example</td>"))
  }
}

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

  private func get(
    _ path: String, codes: CodeFigures = CodeFigures(), certificateEnd: CertificateEnd? = nil
  ) -> ServerOutcome {
    server.core.respond(
      to: ServerRequest(method: "GET", path: path, remoteAddress: "unix"), at: server.moment(), in: server.store,
      table: .operation(certificateEnd: { certificateEnd }) { codes })
  }

  @Test func `are not on the public listener`() {
    for path in [Route.overview, Route.overviewJSON, Route.metrics] { #expect(server.send("GET", path).status == 404) }
    for entry in RouteTable.operation(codes: { CodeFigures() }).entries {
      #expect(entry.access == .anyone && entry.method == "GET")
    }
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

  @Test func `show whether sign-in codes reach their gateway`() {
    #expect(get(Route.overviewJSON).text.contains(#""codes":{"sent":0,"retried":0,"failed":0,"withheld":0,"is_fail"#))
    #expect(get(Route.overview).text.contains("<h2>Sign-in codes since this server started</h2>\n<p>None.</p>"))
    let code = StoredCode(
      id: AlertsDevice.identifier(), .code(verification: "v"), phone: "+12025550123", expiresAt: server.now,
      dueAt: server.now)
    var codes = CodeFigures()
    codes.add(CodeNote(of: code, "sent", .sent), at: server.now)
    codes.add(CodeNote(of: code, "it was used; given up", nil), at: server.now)
    #expect(!codes.isFailing && codes.count(.sent) == 1 && codes.count(.failed) == 0)
    server.advance(seconds: 7)
    codes.add(CodeNote(of: code, "the SMS gateway answered 401; given up", .failed), at: server.now)
    codes.addWithheld()
    let json = get(Route.overviewJSON, codes: codes).text
    #expect(json.contains(#""sent":1,"retried":0,"failed":1,"withheld":1,"is_failing":true,"last_sent_at":"20"#))
    #expect(json.contains(#""last_failure_reason":"the SMS gateway answered 401; given up""#), "\(json)")
    let page = get(Route.overview, codes: codes).text
    #expect(page.contains(#"<td>7 s ago</td><td class="bad">0 s ago: the SMS gateway answered 401; given up</td>"#))
    #expect(!page.contains("2025550") && !json.contains("2025550"))
    codes.add(CodeNote(of: code, "sent", .sent), at: server.now)
    #expect(!codes.isFailing)
  }

  @Test func `show how often work was asked for before a code, and shown`() {
    var codes = CodeFigures()
    for work in [CodeFigures.Work.challenged, .challenged, .challenged, .accepted, .accepted, .refused] {
      codes.add(work)
    }
    let json = get(Route.overviewJSON, codes: codes).text
    #expect(json.contains(#""work_challenged":3,"work_accepted":2,"work_refused":1}"#), "\(json)")
    #expect(get(Route.overview, codes: codes).text.contains("<td>3</td><td>2</td>"))
    #expect(!codes.isFailing)
  }

  @Test(
    arguments: [
      (30 * 24, "<p>The TLS certificate expires in 30 days, at "),
      (13 * 24, "<p class=\"bad\">The TLS certificate expires in 13 days, at "),
      (47, "<p class=\"bad\">The TLS certificate expires in 47 h, at "),
      (0, "<p class=\"bad\">The TLS certificate EXPIRED at "),
    ] as [(Int64, String)])
  func `show when the certificate expires`(hours: Int64, words: String) {
    let time = server.now.advanced(byMilliseconds: hours * 3_600_000)
    let end = CertificateEnd(at: time)
    #expect(get(Route.overview, certificateEnd: end).text.contains(words + "\(time)"))
    #expect(get(Route.overviewJSON, certificateEnd: end).text.contains(#""certificate_end_at":"\#(time)"}"#))
    #expect(!get(Route.overview).text.contains("certificate"))
    #expect(get(Route.overviewJSON).text.contains(#""certificate_end_at":null}"#))
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

import Model
import Testing
import Wire

@testable import ServerCore

/// Text messages, and the gateways that take them.
@Suite struct `Text messages` {
  private let text = "Line 1\n\"quoted\" & {id} {to} ü 🧗 \\"

  private func body(_ template: String) throws -> String {
    let gateway = try GatewayTemplate(json: Array(template.utf8))
    return String(decoding: gateway.request(to: "+12025550199", text: text, id: "7").body, as: UTF8.self)
  }

  @Test func `without a template are JSON with number and text`() throws {
    let request = GatewayTemplate(url: "https://sms.example/send").request(to: "+12025550199", text: text, id: "7")
    #expect(request.method == "POST" && request.url == "https://sms.example/send")
    let root = try JSONDocument(request.body).root
    #expect(try root.string("to") == "+12025550199")
    #expect(try root.string("text") == text)
    #expect(try root.string("id") == "7")
  }

  @Test func `are escaped for their place, and filled in once`() throws {
    let form = try body(
      #"""
      {"url": "https://sms.example/send", "headers": ["Content-Type: application/x-www-form-urlencoded"],
       "body": "to={to}&text={text}&ref={id}&x={}"}
      """#)
    #expect(URLEncoding.fields(form[...]) == ["to": "+12025550199", "text": text, "ref": "7", "x": "{}"])
    let json = try body(
      #"""
      {"url": "https://sms.example/send", "headers": ["Content-Type: application/json; charset=utf-8"],
       "body": "{\"m\": {\"to\": \"{to}\", \"text\": \"{text}\"}}"}
      """#)
    let sent = try JSONDocument(Array(json.utf8)).root.required("m")
    #expect(try sent.string("to") == "+12025550199" && sent.string("text") == text)
    let plain = try body(
      #"{"url": "https://sms.example/send?to={to}", "headers": ["Content-Type: text/plain"], "body": "{text}"}"#)
    #expect(plain == text)
    // Without a type it is sent as a form.
    let untyped = try body(#"{"url": "https://sms.example/send", "body": "to={to}&text={text}"}"#)
    #expect(URLEncoding.fields(untyped[...]) == ["to": "+12025550199", "text": text])
  }

  @Test func `have what the template says in headers, and secrets escaped for their place`() throws {
    let template = #"""
      {"url": "https://sms.example/{to}?key={file:/a}", "headers": ["Idempotency-Key: {id}", "Authorization: Bearer {file:/a}"],
       "body": "text={text}&key={file:/a}"}
      """#
    let gateway = try GatewayTemplate(json: Array(template.utf8)) { path throws(GatewayTemplate.TemplateError) in
      path == "/a" ? "a&b {to}" : ""
    }
    let request = gateway.request(to: "+1202", text: "x", id: "7")
    #expect(request.headers.map(\.value) == ["7", "Bearer a&b +1202"])
    #expect(request.url == "https://sms.example/%2B1202?key=a%26b%20%7Bto%7D")
    #expect(String(decoding: request.body, as: UTF8.self) == "text=x&key=a%26b%20%7Bto%7D")
  }

  @Test func `are taken where the answer says so, in any case of its letters`() throws {
    var gateway = GatewayTemplate(url: "https://sms.example/send")
    #expect(gateway.request(to: "", text: "", id: "").isTaken([]))
    gateway.success = #""status":"Queued""#
    let request = gateway.request(to: "", text: "", id: "")
    #expect(request.isTaken(Array(#"{"STATUS":"queued"}"#.utf8)) && !request.isTaken(Array(#"{"status":"full"}"#.utf8)))
  }

  @Test func `may stand in the URL alone, with another method`() throws {
    let template = #"{"url": "https://sms.example/{to}?t={text}&r={id}", "method": "GET", "success": "OK"}"#
    let request = try GatewayTemplate(json: Array(template.utf8)).request(to: "+1202", text: "a b/ü", id: "7")
    #expect(request.method == "GET" && request.success == "OK" && request.body.isEmpty)
    #expect(request.url == "https://sms.example/%2B1202?t=a%20b%2F%C3%BC&r=7")
    #expect(request.addresses == .httpsOrLoopback)
  }

  @Test(arguments: [
    "", "[]", "{}", #"{"url": "https://sms.example/"}"#, #"{"url": "https://sms.example/{to}"}"#,
    #"{"url": "http://sms.example/{to}{text}"}"#, #"{"url": "http://127.0.0.1.example/{to}{text}"}"#,
    #"{"url": "ftp://sms.example/{to}{text}"}"#, #"{"url": "https://s.example/{to}{text}", "headers": ["none"]}"#,
    #"{"url": "https://s.example/{to}{text}", "method": "post it"}"#, #"{"url": 7}"#,
    #"{"url": "https://s.example/{to}{text}", "headers": ["X: {text}"]}"#,
    #"{"url": "https://s.example/{to}{text}", "headers": ["X: ü"]}"#, #"{"url": "https://s ample/{to}{text}"}"#,
    #"{"url": "https://s.example/{to}{text}", "headers": ["Content-Type: application/xml"]}"#,
    #"{"url": "https://s.example/{to}{text}{file:/a"}"#,
  ])
  func `have no gateway where its template is none`(_ template: String) {
    #expect(throws: GatewayTemplate.TemplateError.self) { try GatewayTemplate(json: Array(template.utf8)) }
  }

  @Test(arguments: [
    (#""body": "{\"to\":\"{to}\",\"text\":{text}}", "headers": ["Content-Type: application/json"]"#, "is not JSON"),
    (#""body": "{to} {text}", "headers": ["Content-Type: application/json"]"#, "is not JSON"),
    (#""body": " {\"to\":\"{to}\",\"text\":\"{text}\"}""#, "needs the header Content-Type: application/json"),
    (#""body": "to={to}&text={text}&key={token}""#, "there is no {token}, but {to}, {text}, {id} and {file:PATH}"),
    (#""body": "to={to}&text={text}", "headers": ["X-Key: {key}"]"#, "there is no {key}"),
  ])
  func `have no gateway whose filled template cannot work`(_ members: String, _ reason: String) throws {
    let error = #expect(throws: GatewayTemplate.TemplateError.self) {
      try GatewayTemplate(json: Array(#"{"url": "https://s.example/", \#(members)}"#.utf8))
    }
    #expect(error?.message.contains(reason) == true)
  }

  @Test func `may have braces in a secret, and no body`() throws {
    let template =
      #"{"url": "https://s.example/?to={to}&text={text}", "headers": ["Content-Type: application/json", "X: {file:/k}"]}"#
    let gateway = try GatewayTemplate(json: Array(template.utf8)) { _ in "{token}" }
    #expect(gateway.headers[1].value == "{token}")
  }

  private func server() throws -> (AlertsServer, AlertsDevice) {
    let server = try AlertsServer { $0.smsGateway = GatewayTemplate(url: "https://sms.example/send") }
    let device = try server.signIn("+12025550123")
    try device.sync([try device.contact(AlertsDevice.identifier(), "Ana", "sms:+12025550199")])
    return (server, device)
  }

  private func message(_ attempt: DeliveryAttempt) throws -> (to: String, text: String) {
    let root = try JSONDocument(attempt.body).root
    return (try root.string("to"), try root.string("text"))
  }

  @Test func `begin with who, what and the link`() throws {
    let (server, device) = try server()
    let place = try Location(latitude: 46.5763, longitude: 7.9905)
    let alert = try device.raise(message: "fell on the ridge", location: place)
    let attempt = try #require(try server.claim().first)
    let help = try message(attempt)
    #expect(help.to == "+12025550199")
    #expect(help.text.hasPrefix("+12025550123 needs help https://server.example/a/"))
    #expect(help.text.hasSuffix("\n46.5763,7.9905\nfell on the ridge"))
    #expect(help.text.split(separator: "\n")[0].count == 73)
    try server.complete(attempt, .status(200, retryAfter: nil))
    try device.end(alert)
    let safe = try message(try #require(try server.claim().first))
    #expect(safe.text == "+12025550123 is safe now.")
  }

  @Test func `of a drill say so first, and a long message is cut`() throws {
    let (server, device) = try server()
    _ = try device.raise(message: String(repeating: "ü", count: 500), isDrill: true)
    let drill = try message(try #require(try server.claim().first))
    #expect(
      drill.text.hasPrefix("DRILL, only a test, of +12025550123. Press \"I got this\": https://server.example/a/"))
    #expect(drill.text.utf16.count == 335 && drill.text.hasSuffix("ü…"))
  }

  @Test func `of a late alert say when it was raised, and under which id a later one says more`() throws {
    let (server, device) = try server()
    let alert = try device.raise(startedAt: server.now.advanced(byMilliseconds: -3_600_000), offset: 0)
    let attempt = try #require(try server.claim().first)
    #expect(try message(attempt).text.contains("raised 11:01, received 12:01"))
    try server.complete(attempt, .networkFailure("timed out"))
    try device.end(alert)
    server.advance(seconds: 600)
    let ended = try #require(try server.claim().first)
    #expect(try JSONDocument(ended.body).root.string("id") == "\(attempt.id)_ended")
    #expect(try message(ended).text.contains("was in danger"))
  }

  @Test(arguments: [(401, DeliveryState.queued), (402, .queued), (404, .queued), (422, .failed)])
  func `that the gateway refuses for the operator's fault are tried on`(_ status: Int, _ state: DeliveryState) throws {
    let (server, device) = try server()
    let alert = try device.raise()
    for _ in 0..<11 {
      guard let attempt = try server.claim().first else { break }
      try server.complete(attempt, .status(status, retryAfter: nil))
      server.advance(seconds: 600)
    }
    let receipt = try #require(try device.receipts(alert).first)
    #expect(receipt.state == state && receipt.reason == "the SMS gateway answered \(status)")
  }

  @Test func `that may have arrived are not repeated at once`() throws {
    let (server, device) = try server()
    _ = try device.raise()
    for minutes: Int64 in [1, 2, 3] {
      let attempt = try #require(try server.claim().first)
      try server.complete(attempt, .networkFailure("gateway.internal:443 timed out"))
      server.advance(seconds: 60 * minutes - 1)
      #expect(try server.claim().isEmpty)
      server.advance(seconds: 31)
    }
  }

  @Test func `that the gateway did not take are tried again, and fail in the end`() throws {
    let (server, device) = try server()
    let alert = try device.raise()
    for _ in 0..<9 {
      let attempt = try #require(try server.claim().first)
      try server.complete(attempt, .notTaken)
      let receipt = try #require(try device.receipts(alert).first)
      #expect(receipt.state == .queued && receipt.reason == "the SMS gateway did not take the message")
      server.advance(seconds: 600)
    }
    try server.complete(try #require(try server.claim().first), .notTaken)
    #expect(try device.receipts(alert).map(\.state) == [.failed])
  }

  @Test func `to many people share the room of one gateway`() throws {
    let (server, device) = try server()
    let others = try (0..<20).map { number in
      try device.contact(
        AlertsDevice.identifier(), "Ben \(number)", phone: "+120255502\(10 + number)", "sms:+120255502\(10 + number)")
    }
    try device.sync(others)
    _ = try device.raise()
    #expect(try server.claim().count == 4, "a host that was never seen gets four at once")
  }
}

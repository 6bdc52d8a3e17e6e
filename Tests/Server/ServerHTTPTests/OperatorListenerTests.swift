import ChildPrograms
import Glibc
import Model
import ServerCore
import SystemKit
import TestSupport
import Testing
import Wire

@testable import ServerHTTP

@Suite(.blocking) struct `The operator's listener` {
  private func figures(_ server: LiveServer) throws -> [String: String] {
    let answer = try server.operatorClient().exchange("GET", Route.metrics)
    try #require(answer.status == 200)
    #expect(answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8")
    let lines = answer.text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { $0.split(separator: " ") }
    return Dictionary(uniqueKeysWithValues: lines.map { (String($0[0]), String($0[1])) })
  }

  private func raise(on server: LiveServer, _ session: SessionResponse, _ channel: String) throws {
    let alert: AlertID = newID()
    let details = try ContactDetails(
      name: "Ana", phone: "+12025550188", isResponder: true, isDependent: false, channels: [Channel(channel)])
    _ = try server.sync(session, [(newID(), .putContact(details))])
    _ = try server.sync(
      session, [(EntityID(alert), activation())],
      notifications: [NotificationRequest(id: newID(), alertID: alert, notice: .activated)])
  }

  @Test(.timeLimit(.minutes(10))) func `tells how long alerts took to be stored, to be sent and to be answered`() throws
  {
    let receiver = try TestReceiver()
    let server = try LiveServer()
    let session = try server.signIn()
    try raise(on: server, session, "http://127.0.0.1:\(receiver.port)/hook")
    let message = try #require(receiver.next())
    while try figures(server)[#"lifesignal_delivery_seconds_count{channel="webhook"}"#] != "1" {}
    let link = try #require(String(decoding: message.body, as: UTF8.self).split(separator: "http://localhost/a/").last)
    let answer = try server.client().exchange(
      "POST", "/a/\(link.prefix { $0 != "\"" && $0 != "\\" && $0 != "/" })/acknowledgements",
      headers: ["Content-Type: application/x-www-form-urlencoded"],
      body: Array("answer=responding".utf8))
    #expect(answer.status == 303 || answer.status == 200)
    let told = try figures(server)
    #expect(told["lifesignal_active_alerts"] == "1")
    #expect(told[#"lifesignal_request_seconds_count{alert="yes"}"#] == "1")
    #expect(told[#"lifesignal_request_seconds_bucket{alert="yes",le="+Inf"}"#] == "1")
    #expect(told[#"lifesignal_acknowledgement_seconds_count{drill="no"}"#] == "1")
    #expect(told[#"lifesignal_acknowledgement_seconds_count{drill="yes"}"#] == "0")
    #expect(told[#"lifesignal_answers_total{status="201"}"#] == "2")
    #expect(told["lifesignal_sender_works"] == "1")
  }

  @Test(.timeLimit(.minutes(10))) func `counts attempts that fail, streams and connections`() throws {
    let server = try LiveServer()
    let session = try server.signIn()
    try raise(on: server, session, "http://127.0.0.1:1/refused")
    let stream = try server.events(session)
    while try figures(server)[#"lifesignal_delivery_retries_total{channel="webhook"}"#] == nil {}
    let told = try figures(server)
    #expect(told[#"lifesignal_streams{of="devices"}"#] == "1")
    #expect(told[#"lifesignal_streams{of="pages"}"#] == "0")
    #expect(told["lifesignal_queued_deliveries"] == "1")
    withExtendedLifetime(stream) {}
    let overview = try server.operatorClient().exchange("GET", Route.overviewJSON).text
    #expect(overview.contains(#""failing_hosts":[{"host":"127.0.0.1:1","messages":1"#), "\(overview)")
  }

  @Test(.timeLimit(.minutes(5))) func `counts the codes that the gateway refuses`() throws {
    let gateway = try TestReceiver([.init(status: 503), .init(status: 401)])
    let lines = Lock<[String]>([])
    let server = try LiveServer(
      codes: .gateway(GatewayTemplate(url: "http://127.0.0.1:\(gateway.port)/send")),
      log: ServerLog(now: LiveServer.now) { line in lines.withLock { $0.append(line) } })
    let request = VerificationRequest(phone: "+12025550123", region: nil)
    #expect(try server.client().post(Route.verifications, request.json()).status == 201)
    while try figures(server)[#"lifesignal_codes_total{result="failed"}"#] != "1" {}
    let told = try figures(server)
    #expect(told[#"lifesignal_codes_total{result="retried"}"#] == "1")
    #expect(told[#"lifesignal_codes_total{result="sent"}"#] == "0")
    let overview = try server.operatorClient().exchange("GET", Route.overviewJSON).text
    #expect(overview.contains(#""is_failing":true"#) && overview.contains("gateway answered 401"), "\(overview)")
    #expect(!overview.contains("2025550"))
    // The figures come before the line.
    server.stop()
    #expect(lines.withLock { $0.contains { $0.contains("warning: code ") && $0.hasSuffix("401; given up") } })
  }

  @Test func `has the probes and nothing of the public one, and the other way round`() throws {
    let server = try LiveServer()
    for path in [Route.ready, Route.health, Route.overview, Route.overviewJSON, Route.metrics] {
      #expect(try server.operatorClient().exchange("GET", path).status == 200, "\(path)")
    }
    for path in [Route.alerts, Route.description, Route.sync, "/"] {
      #expect(try server.operatorClient().exchange("GET", path).status == 404, "\(path)")
    }
    for path in [Route.overview, Route.overviewJSON, Route.metrics] {
      #expect(try server.client().exchange("GET", path).status == 404, "\(path)")
    }
  }

  @Test func `counts neither its own requests nor questions about a body`() throws {
    let server = try LiveServer()
    let session = try server.signIn()
    let before = try figures(server)
    for path in [Route.overview, Route.ready] { _ = try server.operatorClient().exchange("GET", path) }
    let exchange = Array(#"{"device_id": "019a4f0e-0000-7000-8000-00000000d001"}"#.utf8)
    let large = exchange + [UInt8](repeating: 0x20, count: 20_000)
    #expect(try server.client().post(Route.sync, large, token: session.tokens.accessToken).status == 200)
    #expect(try server.client().post(Route.sync, large).status == 401)
    let after = try figures(server)
    func rise(_ name: String) -> Int { (Int(after[name] ?? "") ?? 0) - (Int(before[name] ?? "") ?? 0) }
    #expect(rise(#"lifesignal_answers_total{status="204"}"#) == 0)
    #expect(rise(#"lifesignal_answers_total{status="200"}"#) == 1)
    #expect(rise(#"lifesignal_request_seconds_count{alert="yes"}"#) == 0)
    #expect(rise(#"lifesignal_request_seconds_count{alert="no"}"#) == 1)
  }

  @Test func `ends with the server, and its file with it`() throws {
    let server = try LiveServer()
    let client = try server.operatorClient()
    #expect(try client.exchange("GET", Route.health).status == 200)
    let path = server.operatorPath
    #expect(access(path, F_OK) == 0)
    server.stop()
    #expect(client.readToEnd() == "")
    #expect(access(path, F_OK) != 0)
  }
}

@Suite(.blocking) struct `A page in a browser on the operator's machine` {
  @Test func `cannot read there under a name of its own`() throws {
    let hosts = KnownHosts(of: try ListenAddress("127.0.0.1:8081"))
    for host in ["localhost", "localhost:8081", "LOCALHOST:1", "127.0.0.1:8081", "[::1]:8081"] {
      #expect(hosts.allow(host))
    }
    for host in [
      "evil.example", "evil.example:8081", "127.0.0.1.evil.example:8081", "localhost.evil.example", "", "[::2]",
    ] {
      #expect(!hosts.allow(host), "\(host)")
    }
    #expect(KnownHosts(of: try ListenAddress("unix:/run/x.sock")).allow("anything"))
    #expect(KnownHosts(of: try ListenAddress("127.0.0.5:8081")).allow("127.0.0.5:8081"))
  }
}

@Suite(.blocking) struct `Durations` {
  @Test func `are counted in the first bucket that they fit`() {
    var histogram = Histogram()
    for seconds in [0, 0.001, 0.0011, 1, 14_400, 14_401] { histogram.add(seconds: seconds) }
    let counts = Dictionary(uniqueKeysWithValues: histogram.cumulative.map { ($0.bound, $0.count) })
    #expect(counts[0.001] == 2 && counts[0.002] == 3 && counts[1] == 4 && counts[14_400] == 5)
    #expect(histogram.count == 6)
    #expect(abs(histogram.sumSeconds - 28_802.0021) < 1e-6)
  }
}

import Testing
import Wire

@Suite struct `Our own server's answer` {
  private static let ours = Problem(.unavailable, "the store cannot answer now")

  @Test(arguments: [
    "application/problem+json", "application/problem+json; charset=utf-8", "Application/Problem+JSON",
    "application/problem+json ;x=y",
  ])
  func `is a problem with our type and its status`(contentType: String) {
    #expect(OwnAnswer.problem(status: 503, contentType: contentType, body: Self.ours.json()) == Self.ours)
  }

  @Test(arguments: [
    (503, "text/html"), (503, "application/json"), (503, nil), (404, "application/problem+json"),
    (200, "application/problem+json"), (503, "application/problem+json-seq"),
  ])
  func `is not a problem under another type or status`(status: Int, contentType: String?) {
    #expect(OwnAnswer.problem(status: status, contentType: contentType, body: Self.ours.json()) == nil)
  }

  @Test(arguments: [
    "", "null", "[]", "<html>Log in</html>", #"{"type":"about:blank","status":503}"#,
    #"{"type":"https://example.org/problems/unavailable","title":"x","status":503,"detail":"x"}"#,
  ])
  func `is not a problem body of another server`(body: String) {
    #expect(OwnAnswer.problem(status: 503, contentType: Problem.mediaType, body: Array(body.utf8)) == nil)
  }

  @Test func `is not a problem body that was cut off anywhere`() {
    let whole = Self.ours.json()
    for length in 0..<whole.count {
      let part = Array(whole.prefix(length))
      #expect(OwnAnswer.problem(status: 503, contentType: Problem.mediaType, body: part) == nil)
    }
  }

  @Test func `is a body of the promised shape, with the media type if that is required`() {
    let health = #"{"service":"lifesignal","status":"ok","server_time":"2026-11-21T12:00:00.000Z"}"#
    let bytes = Array(health.utf8)
    #expect(OwnAnswer.body(HealthResponse.self, bytes) != nil)
    #expect(OwnAnswer.body(HealthResponse.self, contentType: "application/json", bytes) != nil)
    #expect(OwnAnswer.body(HealthResponse.self, contentType: "text/html", bytes) == nil)
    for foreign in ["", "{}", "[]", "<html></html>", #"{"service":7}"#, health + "x"] {
      #expect(OwnAnswer.body(HealthResponse.self, Array(foreign.utf8)) == nil)
    }
  }
}

import Model
import Testing
import Wire

@Suite struct `Answers` {
  @Test func `a sync's answer survives a round trip`() throws {
    let time = Timestamp(milliseconds: 1_795_278_000_000)
    let contact = try ContactDetails(
      name: "Ana", phone: "+12025550123", isResponder: true, isDependent: false,
      channels: [Channel("https://example.org/hook")])
    let receipt = Receipt(
      id: identifier(1), alertID: identifier(2), contactID: identifier(3), contactName: "Ana", notice: .deactivated,
      channel: .ntfy, state: .failed, at: time, reason: "no such topic")
    let alert = Alert(
      id: identifier(2), startedAt: time, endedAt: time, message: "help",
      location: try Location(latitude: 1, longitude: 2), isDrill: true, onlyContact: identifier(3))
    let response = SyncResponse(
      results: [
        ItemResult(id: "a", status: .applied, appliedAt: time),
        ItemResult(id: "b", status: .rejected, code: "unknown_kind", message: "no such kind"),
      ],
      changes: [
        .alert(AlertRecord(alert: alert, ordinal: 7, receivedAt: time, endReceivedAt: nil)),
        .contact(identifier(3), ContactRecord(details: contact, webhookSecret: "whsec_AA==")),
        .contact(
          identifier(5),
          ContactRecord(
            details: contact, webhookSecret: "whsec_AA==",
            tested: [TestedChannel(url: "https://example.org/hook", at: time)],
            failed: [FailedChannel(url: "https://example.org/hook", at: time, reason: "the channel answered 404")])),
        .contact(identifier(4), nil), .receipt(receipt), .profile(identifier(6), try Profile(name: "Ana García")),
      ],
      cursor: "v1.e.7.t", hasMore: true, epoch: "e", serverTime: time, channels: ["webhook", "pigeon"])
    #expect(try SyncResponse(jsonBytes: response.json()) == response)
  }

  @Test func `a problem survives a round trip, and a foreign one is not ours`() throws {
    for kind in Problem.Kind.allCases {
      let problem = Problem(kind, "what to do")
      #expect(try Problem(jsonBytes: problem.json()) == problem)
    }
    let foreign = Array(#"{"type":"about:blank","title":"Not Found","status":404}"#.utf8)
    #expect(throws: JSONError.self) { try Problem(jsonBytes: foreign) }
  }

  @Test func `a session's answer survives a round trip`() throws {
    let time = Timestamp(milliseconds: 1_795_278_000_000)
    let session = SessionResponse(
      tokens: TokenResponse(accessToken: "a", refreshToken: "r", expiresAt: time), alertKey: "k",
      user: SessionResponse.User(id: identifier(9), phone: "+12025550123"))
    #expect(try SessionResponse(jsonBytes: session.json()) == session)
  }

  private func identifier<Subject>(_ number: UInt64) -> Identifier<Subject> {
    Identifier(versionSevenAt: Timestamp(milliseconds: 9), random: (number, number))
  }
}

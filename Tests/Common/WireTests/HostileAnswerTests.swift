import Model
import Testing
import Wire

/// Answers of the right shape with values that no honest server sends.
@Suite struct `Hostile answers` {
  private func sync(cursor: String = "c", epoch: String = "e", ordinal: String = "1") throws -> SyncResponse {
    let id = "01a20046-4d7f-7066-86e8-e5057a9cf096"
    let time = "2026-11-21T12:00:00.000Z"
    let text = """
      {"results":[],"cursor":"\(cursor)","has_more":false,"epoch":"\(epoch)","server_time":"\(time)","changes":[
      {"entity":"alert","id":"\(id)","alert":{"id":"\(id)","started_at":"\(time)","ended_at":null,"message":null,
      "location":null,"drill":false,"ordinal":\(ordinal),"received_at":"\(time)","end_received_at":null}}]}
      """
    return try SyncResponse(jsonBytes: Array(text.utf8))
  }

  // A device sends the cursor with every request. Requests over a megabyte are refused, so none could be sent.
  @Test func `a cursor without a length limit is refused, and so is an epoch`() throws {
    let longest = String(repeating: "c", count: 1000)
    #expect(try sync(cursor: longest).cursor == longest)
    #expect(throws: JSONError.self) { try sync(cursor: longest + "c") }
    #expect(throws: JSONError.self) { try sync(epoch: longest + "e") }
  }

  // A device lists its own alerts after all ordinals, so none could be raised after such an ordinal.
  @Test(arguments: ["0", "-1", "4611686018427387904", "9223372036854775807", "-9223372036854775808", "1e300", "1.5"])
  func `an alert with an impossible ordinal is ignored`(ordinal: String) throws {
    #expect(try sync(ordinal: ordinal).changes.isEmpty)
  }

  @Test func `the greatest ordinal is accepted`() throws {
    #expect(try sync(ordinal: "4611686018427387903").changes.count == 1)
  }

  @Test(arguments: ["", #"a\r\nX-Other: b"#, #"\u001b[2J"#, "a b", "é", String(repeating: "a", count: 1001)])
  func `a token that does not fit in a header is refused`(token: String) throws {
    let rest = #""expires_at":"2026-11-21T12:00:00.000Z""#
    let user = #""user":{"id":"01a20046-4d7f-7066-86e8-e5057a9cf096","phone":"+12025550123"}"#
    for (access, refresh, key) in [(token, "r", "k"), ("a", token, "k"), ("a", "r", token)] {
      let tokens = #""access_token":"\#(access)","refresh_token":"\#(refresh)",\#(rest)"#
      let session = Array(#"{\#(tokens),"alert_key":"\#(key)",\#(user)}"#.utf8)
      #expect(throws: JSONError.self) { try SessionResponse(jsonBytes: session) }
    }
    let tokens = Array(#"{"access_token":"a","refresh_token":"\#(token)",\#(rest)}"#.utf8)
    #expect(throws: JSONError.self) { try TokenResponse(jsonBytes: tokens) }
  }

  @Test func `a text for a person is one line without control characters`() throws {
    let text = #"a\u001b[2J\u009b31m\u202eb\u2066\r\nc\u0000"#
    let problem = #"{"type":"urn:lifesignal:problem:conflict","status":409,"detail":"\#(text)"}"#
    #expect(try Problem(jsonBytes: Array(problem.utf8)).detail == "a [2J 31m b   c ")
    let result = #"{"id":"x","status":"rejected","code":"\#(text)","message":"\#(text)"}"#
    let item = try ItemResult(jsonBytes: Array(result.utf8))
    #expect(item.code == "a [2J 31m b   c " && item.message == "a [2J 31m b   c ")
    #expect(String(repeating: "x", count: 9000).foreignLine == String(repeating: "x", count: 300))
    #expect("Zoë 🧗".foreignLine == "Zoë 🧗")
  }
}

import Model
import Secrets
import Testing
import Wire

@testable import ServerCore

/// Tests which requests go before others.
@Suite struct UrgencyTests {
  private func isUrgent(_ body: String, path: String = Route.sync) throws -> Bool? {
    let core = ServerCore(
      configuration: ServerConfiguration(publicURL: "https://server.example"),
      keys: ServerKeys(secret: try SecretKey.fromTest(7)))
    let request = ServerRequest(
      method: "POST", path: path, authorization: "Bearer nobody", contentType: "application/json",
      body: Array(body.utf8),
      remoteAddress: "192.0.2.1")
    let moment = ServerMoment(
      now: Timestamp(milliseconds: 1_790_000_000_000), entropy: Entropy(seed: [UInt8](repeating: 1, count: 32)))
    guard case .task(let task) = core.begin(request, at: moment) else { return nil }
    return task.isUrgent
  }

  @Test(arguments: [
    (#"{"mutations":[{"kind":"contact.put","at":"2026-11-29T12:00:00.5Z"},{"kind":"alert.activate"}]}"#, true),
    (#""alert."#, true), (#"..."alert...."#, true), (#"{"kind":"contact.put"}"#, false), ("alert.activate", false),
    (#""alert"#, false), (#""alert,"alert"."#, false), (".", false), ("", false),
  ])
  func `an exchange with an item about an alert is urgent`(body: String, isUrgent: Bool) throws {
    #expect(try self.isUrgent(body) == isUrgent)
  }
}

import Foundation
import LifeSignalFeatures
import SystemKit
import Testing

@Suite struct `The clients in a test` {
  /// The issues reported while `use` ran.
  private func issues(_ use: (DependencyValues) async throws -> Void) async -> [String] {
    let messages = Messages()
    await IssueReporting.withReporter({ messages.add($0.message) }) {
      do {
        try await use(DependencyValues(context: .test))
      } catch is Unimplemented {
        // Correct; the test is about the name.
      } catch {
        Issue.record(error)
      }
    }
    return messages.all
  }

  private static let inboxID = InboxID(versionSevenAt: Timestamp(milliseconds: 1), random: (1, 1))

  @Test func `an endpoint that a test has not set is named`() async throws {
    let endpoints: [(String, (DependencyValues) async throws -> Void)] = [
      ("AlertClient.activateAlert", { _ = try await $0.alertClient.activateAlert() }),
      ("AlertClient.deactivateAlert", { _ = try await $0.alertClient.deactivateAlert() }),
      ("AlertClient.getAlertHistory", { _ = try await $0.alertClient.getAlertHistory() }),
      ("AlertClient.getAlertStatus", { _ = try await $0.alertClient.getAlertStatus() }),
      ("AlertClient.snapshots", { for await _ in $0.alertClient.snapshots() {} }),
      ("AuthClient.isAuthenticated", { _ = await $0.authClient.isAuthenticated() }),
      ("AuthClient.sendVerificationCode", { _ = try await $0.authClient.sendVerificationCode("", .unitedStates) }),
      ("AuthClient.verifyCode", { try await $0.authClient.verifyCode("", verificationID: "") }),
      ("AuthClient.signOut", { try await $0.authClient.signOut() }),
      ("AuthClient.authenticationStates", { for await _ in $0.authClient.authenticationStates() {} }),
      ("AuthClient.signOutLosses", { _ = try await $0.authClient.signOutLosses() }),
      ("UserClient.currentUser", { _ = try await $0.userClient.currentUser() }),
      ("UserClient.observeUser", { for await _ in $0.userClient.observeUser() {} }),
      ("UserClient.setName", { try await $0.userClient.setName("Ana") }),
      ("NotificationClient.notifyRespondersOfAlert", { try await $0.notificationClient.notifyRespondersOfAlert() }),
      (
        "NotificationClient.notifyRespondersOfAlertDeactivation",
        { try await $0.notificationClient.notifyRespondersOfAlertDeactivation() }
      ),
      ("ContactClient.list", { _ = try await $0.contactClient.list() }),
      ("ResponderClient.list", { _ = try await $0.responderClient.list() }),
      ("ResponderClient.alerts", { for await _ in $0.responderClient.alerts() {} }),
      ("ResponderClient.respond", { try await $0.responderClient.respond(to: Self.inboxID, with: .there) }),
      ("ResponderClient.noteSeen", { try await $0.responderClient.noteSeen(Self.inboxID) }),
      (
        "ContactClient.test",
        { try await $0.contactClient.test(ContactID(versionSevenAt: Timestamp(milliseconds: 1), random: (1, 1))) }
      ),
    ]
    for (name, use) in endpoints {
      let issues = await issues(use)
      #expect(issues.count == 1 && issues[0].contains("'\(name)'"), "\(name): \(issues)")
    }
  }

  @Test func `a mock returns the values that it was given, and no more`() async throws {
    let epoch = Date(timeIntervalSince1970: 0)
    let client = AlertClient.mock(activateAlert: { epoch })
    #expect(try await client.activateAlert() == epoch)
    let issues = await issues { _ in _ = try await client.deactivateAlert() }
    #expect(issues.count == 1)
  }

  @Test func `the methods call the endpoints that were set`() async throws {
    let given = Messages()
    var dependencies = DependencyValues(context: .test)
    dependencies.authClient = .mock(
      verifyCode: { given.add("\($0) for \($1)") }, signOut: { given.add("accepting: \($0?.pendingCount ?? 0)") })
    dependencies.authClient.sendVerificationCode = { phoneNumber, region in
      given.add("\(phoneNumber) in \(region.code)")
      return "verification-id"
    }
    let client = dependencies.authClient
    #expect(try await client.sendVerificationCode(to: "1234567890", region: .unitedStates) == "verification-id")
    try await client.verifyCode("123456", verificationID: "verification-id")
    try await client.signOut()
    try await client.signOut(SignOutLosses(otherCount: 2))
    #expect(given.all == ["1234567890 in US", "123456 for verification-id", "accepting: 0", "accepting: 2"])
  }

  @Test func `an instant survives the conversion to a date and back`() {
    for milliseconds: Int64 in [0, 1, -1, 1_795_291_200_123, 253_402_300_799_999] {
      let timestamp = Timestamp(milliseconds: milliseconds)
      #expect(Timestamp(timestamp.date) == timestamp)
    }
    #expect(Timestamp(.distantFuture).milliseconds == 64_092_211_200_000)
    #expect(Timestamp(Date(timeIntervalSince1970: .infinity)).milliseconds == .max)
    #expect(Timestamp(Date(timeIntervalSince1970: -1e300)).milliseconds == .min)
    #expect(Timestamp(Date(timeIntervalSince1970: .nan)).milliseconds == 0)
  }

  @Test func `invalid input is reported with the model's text`() {
    let error: any Error = InvalidInput(.name, "a name must have 1 to 100 characters, on one line")
    #expect(error.localizedDescription == "a name must have 1 to 100 characters, on one line")
  }
}

/// Texts from any thread, in order.
private final class Messages: Sendable {
  private let messages = Lock<[String]>([])
  func add(_ message: String) { messages.withLock { $0.append(message) } }
  var all: [String] { messages.withLock { $0 } }
}

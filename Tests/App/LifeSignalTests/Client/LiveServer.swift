import Foundation
import LifeSignalFeatures
import ProgramTesting
import Testing

/// A device, the real server on loopback, a responder's web server, and an app's dependencies on that device.
final class LiveServer {
  let device: TestDevice
  let server: RunningServer
  let receiver: WebhookReceiver
  let client: LifeSignalClient
  let dependencies: DependencyValues

  static let phone = "(202) 555-0123"

  init() async throws {
    device = try TestDevice()
    server = try RunningServer(device.folder)
    receiver = try WebhookReceiver()
    client = try LifeSignalClient.open(home: device.home)
    var dependencies = DependencyValues(context: .test)
    dependencies.use(client)
    self.dependencies = dependencies
    try await client.configure { [endpoint = server.endpoint] in $0.endpoint = endpoint }
  }

  deinit {
    receiver.stop()
    server.stop()
  }

  var alerts: AlertClient { dependencies.alertClient }
  var auth: AuthClient { dependencies.authClient }

  func signIn() async throws {
    let id = try await auth.sendVerificationCode(to: Self.phone, region: .unitedStates)
    try await auth.verifyCode(server.code(), verificationID: id)
  }

  func addResponder() async throws {
    _ = try await dependencies.contactClient.add(
      ContactDetails(
        name: "Ana", phone: "+12025550143", isResponder: true, isDependent: false,
        channels: [Channel("http://127.0.0.1:\(receiver.port)/ana")]))
  }

  /// A code other than `code`.
  static func wrong(_ code: String) -> String {
    String(code.map { $0 == "9" ? "0" : Character(String(($0.wholeNumberValue ?? 0) + 1)) })
  }
}

extension AsyncStream {
  /// The first matching value; nil if the stream ends before.
  func first(where isWanted: (Element) -> Bool) async -> Element? {
    for await element in self where isWanted(element) { return element }
    return nil
  }
}

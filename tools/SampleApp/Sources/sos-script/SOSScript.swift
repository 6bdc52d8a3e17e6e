import Foundation
import LifeSignal

/// Raises an alert and ends it, with the client alone.
///
///     sos-script HOME MESSAGE
///
/// It exits with 0 if the alert was durable on this disk.
@main
struct SOSScript {
  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 3 else {
      print("usage: sos-script HOME MESSAGE")
      exit(64)
    }
    let device = try Device(folder: arguments[1])
    let alert = try await device.callForHelp(arguments[2])
    print("THE ALERT IS ACTIVE, saved on this device: \(alert.text)")
    let account = try await device.account()
    print(account.phone.map { "signed in as \($0)" } ?? "nobody is signed in")
    try await device.callOff()
    print("The alert has ended.")
  }
}

/// The app's own device. None of these names is exported by the library.
struct Device {
  private let client: LifeSignalClient

  init(folder: String) throws { client = try LifeSignalClient.open(home: folder) }

  func callForHelp(_ text: String) async throws -> Alert {
    let location = try LifeSignalClient.Location(latitude: 46.5763, longitude: 7.9905)
    let raised = try await client.activateAlert(message: text, location: location)
    let status: LifeSignalClient.Status = try await client.status()
    guard status.alertID == raised.id, let message = status.message else { throw Effect.lost }
    return Alert(text: message, isKnownToServer: status.delivery?.acceptedAt != nil)
  }

  func account() async throws -> Account {
    let account: LifeSignalClient.Account? = try await client.user()
    return Account(phone: account?.phoneNumber)
  }

  func callOff() async throws {
    let ended: [LifeSignalClient.Alert] = try await client.deactivateAlerts()
    guard ended.count == 1 else { throw Effect.lost }
  }
}

/// The app's own alert.
struct Alert {
  let text: String
  let isKnownToServer: Bool
}

/// The app's own account.
struct Account {
  let phone: String?
}

/// The app's own effect.
enum Effect: Error {
  case lost
}

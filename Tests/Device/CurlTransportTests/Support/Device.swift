import Foundation
import LocalStore
import Model

@testable import CurlTransport

/// A device with a store in its own folder, signed in to a scripted server.
final class Device {
  let home: HomeDirectory
  let store: LocalStore

  init(endpoint: String?) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("lifesignal-\(UUID().uuidString)")
    home = HomeDirectory(path: folder.path)
    var configuration = Configuration()
    configuration.endpoint = endpoint
    try configuration.save(home)
    let now = SystemClock.now()
    store = try LocalStore.open(home, at: now)
    try store.signIn(
      Session(
        accountID: AccountID(versionSevenAt: now.wall, random: (1, 1)), phone: "+12025550100", accessToken: "access",
        refreshToken: "refresh", accessExpiresAt: now.wall.advanced(byMilliseconds: 3_600_000), alertKey: "key"),
      at: now)
  }

  deinit {
    store.close()
    // A leftover in the temporary directory is harmless.
    try? FileManager.default.removeItem(atPath: home.path)
  }

  @discardableResult
  func addContact(_ name: String = "Ana") throws -> Contact {
    try Self.addContact(name, to: store)
  }

  @discardableResult
  static func addContact(_ name: String, to store: LocalStore) throws -> Contact {
    let details = try ContactDetails(
      name: name, phone: "+12025550101", isResponder: true, isDependent: false, channels: [])
    return try store.putContact(nil, details, at: SystemClock.now())
  }
}

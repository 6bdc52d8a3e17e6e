import DeviceCore
import Foundation
import Glibc
package import LocalStore
import Model
import SystemKit
import Testing

extension TestDevice {
  /// This device's store, opened as by another process.
  package func openStore() throws -> LocalStore {
    try LocalStore.open(HomeDirectory(path: home), at: DeviceClock.now())
  }

  /// Signs in without a server; none knows of it.
  package func signInLocally(endpoint: String, isExpired: Bool = false) throws {
    try #require(try run("config", "set", "endpoint", endpoint).status == 0)
    let store = try openStore()
    defer { store.close() }
    let now = DeviceClock.now()
    try store.signIn(
      Session(
        accountID: AccountID(versionSevenAt: now.wall, random: (1, 1)), phone: "+12025550123", accessToken: "access",
        refreshToken: "refresh", accessExpiresAt: now.wall.advanced(byMilliseconds: 3_600_000), alertKey: "the-key",
        isExpired: isExpired), at: now)
  }

  /// Signs in to a server with the code from its log.
  package func signIn(at server: RunningServer, phone: String = "+12025550123") throws {
    try #require(try run("config", "set", "endpoint", server.endpoint).status == 0)
    let program = try RunningProgram(Programs.lifesignal, ["sign-in", phone], environment: environment)
    try program.line(containing: "A code was sent")
    try program.type(server.code() + "\n")
    try program.line(containing: "Signed in")
    try #require(program.end() == 0)
  }

  /// Adds Ana as a responder, with the receiver's path `/ana` as her channel.
  package func addResponder(at receiver: WebhookReceiver) throws {
    let added = try run(
      "contacts", "add", "+12025550143", "--name", "Ana", "--responder", "--channel",
      "http://127.0.0.1:\(receiver.port)/ana")
    try #require(added.status == 0, "\(added)")
  }

  /// Ends the session as if the server had revoked it.
  package func expireSession() throws {
    let store = try openStore()
    defer { store.close() }
    var session = try #require(try store.session())
    (session.isExpired, session.isRevoked) = (true, true)
    try store.signIn(session, at: DeviceClock.now())
  }

  /// Makes the store's file impossible to open, and returns a function that repairs it.
  ///
  /// Holds the store's lock while the name is free: a watching program would otherwise miss its store and create a new one.
  @discardableResult
  package func breakStore() throws -> () throws -> Void {
    let files = FileManager.default
    let path = home + "/store.sqlite"
    try files.createDirectory(atPath: home, withIntermediateDirectories: true)
    guard let lock = FileDescriptor(opening: home + "/store.lock", O_RDWR | O_CREAT, permissions: 0o600) else {
      throw SystemError(errno, "open the store's lock")
    }
    try lock.lock()
    defer { lock.unlock(takenBy: getpid()) }
    for name in [path, path + "-wal"] where files.fileExists(atPath: name) {
      try files.moveItem(atPath: name, toPath: name + ".away")
    }
    try files.createDirectory(atPath: path, withIntermediateDirectories: false)
    return {
      try files.removeItem(atPath: path)
      for name in [path + "-wal", path] where files.fileExists(atPath: name + ".away") {
        try files.moveItem(atPath: name + ".away", toPath: name)
      }
    }
  }
}

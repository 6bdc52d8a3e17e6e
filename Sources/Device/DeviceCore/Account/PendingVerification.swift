import Glibc
package import LocalStore
package import Model
import SystemKit
package import Wire

/// A verification whose code was sent but not yet entered, stored in the home's file `verification` for later runs.
///
/// It holds no secret, but is 0600 like every file in the home. An unreadable file counts as missing.
package struct PendingVerification: Hashable, Sendable {
  package let verificationID: String
  /// E.164.
  package let phone: String
  /// The server that sent the code.
  package let endpoint: String
  /// When the code expires, by the server's clock.
  package let expiresAt: Timestamp
  /// When the server will send another code, by its clock.
  package let resendAt: Timestamp
  /// When the code was requested, by this device's clocks. The wall clock may be hours off, or be set meanwhile.
  package let sentAt: Moment

  package init(
    verificationID: String, phone: String, endpoint: String, expiresAt: Timestamp, resendAt: Timestamp, sentAt: Moment
  ) {
    self.verificationID = verificationID
    self.phone = phone
    self.endpoint = endpoint
    self.expiresAt = expiresAt
    self.resendAt = resendAt
    self.sentAt = sentAt
  }

  /// The delay before the server sends another code.
  private static let resendDelayMilliseconds: Int64 = 60_000

  /// How long the code is valid after it was sent.
  private var lifetimeMilliseconds: Int64 {
    expiresAt.milliseconds(since: resendAt) + Self.resendDelayMilliseconds
  }

  /// Whether the code has expired, as far as this device can tell. The server decides.
  package func isExpired(at moment: Moment) -> Bool { age(at: moment) >= lifetimeMilliseconds }

  /// Whether the server would send another code now, as far as this device can tell.
  package func mayResend(at moment: Moment) -> Bool { age(at: moment) >= Self.resendDelayMilliseconds }

  /// The minutes until the code expires, rounded up.
  package func minutesLeft(at moment: Moment) -> Int64 {
    max(0, lifetimeMilliseconds - age(at: moment) + 59_999) / 60_000
  }

  /// Time since the request: by the monotonic clock within the same boot, or else by the wall clock if that is plausible.
  private func age(at moment: Moment) -> Int64 {
    let passed =
      sentAt.boot != nil && sentAt.boot == moment.boot
      ? moment.monotonicMilliseconds - sentAt.monotonicMilliseconds : moment.wall.milliseconds(since: sentAt.wall)
    return max(0, passed)
  }

  /// The stored verification for this number and server, unless it has expired.
  package static func load(
    _ home: HomeDirectory, phone: String, endpoint: String, now: Moment
  ) -> PendingVerification? {
    guard let bytes = try? WholeFile.read(home.verificationPath, maximumBytes: 65_536),
      let pending = try? Self(jsonBytes: bytes),  // unreadable: as if there were none
      pending.phone == phone, pending.endpoint == endpoint, !pending.isExpired(at: now)
    else { return nil }
    return pending
  }

  /// Best effort: if it cannot be stored, the code must be entered in this run.
  func save(_ home: HomeDirectory) {
    var json = JSONWriter()
    json.object {
      $0.member("verification_id", verificationID)
      $0.member("phone", phone)
      $0.member("endpoint", endpoint)
      $0.member("expires_at", expiresAt.description)
      $0.member("resend_at", resendAt.description)
      $0.member("sent_at", sentAt.wall.description)
      $0.member("sent_monotonic", sentAt.monotonicMilliseconds)
      $0.member("boot", sentAt.boot)
    }
    let path = home.verificationPath
    try? WholeFile.replace(path, with: json.bytes, through: path + ".new", durability: .none)
  }

  static func forget(_ home: HomeDirectory) { _ = unlink(home.verificationPath) }
}

extension PendingVerification: JSONBody {
  package init(json: JSONValue) throws(JSONError) {
    verificationID = try json.string("verification_id")
    phone = try json.string("phone")
    endpoint = try json.string("endpoint")
    expiresAt = try json.timestamp("expires_at")
    resendAt = try json.timestamp("resend_at")
    sentAt = Moment(
      wall: try json.timestamp("sent_at"), monotonicMilliseconds: Int64(try json.integer("sent_monotonic")),
      boot: try json.optionalString("boot"))
  }
}

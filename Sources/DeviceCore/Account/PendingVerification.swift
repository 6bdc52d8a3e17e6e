import Glibc
package import LocalStore
package import Model
package import Wire

/// A code that was sent and not yet entered, kept in the home's file `verification` so that another run can use it.
///
/// It holds no secret but is 0600 like everything of the home. A file that cannot be read counts as none.
package struct PendingVerification: Hashable, Sendable {
  package let verificationID: String
  /// E.164.
  package let phone: String
  /// The server that sent the code.
  package let endpoint: String
  /// By the server's clock.
  package let expiresAt: Timestamp
  /// From when on the server will send another, by its clock.
  package let resendAt: Timestamp

  /// The one for this number and server, unless it has expired.
  package static func load(
    _ home: HomeDirectory, phone: String, endpoint: String, now: Timestamp
  ) -> PendingVerification? {
    guard let bytes = PrivateFile.read(path(home)),
      let pending = try? Self(jsonBytes: bytes),  // unreadable: as if there were none
      pending.phone == phone, pending.endpoint == endpoint, pending.expiresAt > now
    else { return nil }
    return pending
  }

  /// Best effort: where it cannot be kept, the code has to be entered in this run.
  func save(_ home: HomeDirectory) {
    var json = JSONWriter()
    json.object {
      $0.member("verification_id", verificationID)
      $0.member("phone", phone)
      $0.member("endpoint", endpoint)
      $0.member("expires_at", expiresAt.description)
      $0.member("resend_at", resendAt.description)
    }
    PrivateFile.replace(Self.path(home), with: json.bytes)
  }

  static func forget(_ home: HomeDirectory) { _ = unlink(path(home)) }

  private static func path(_ home: HomeDirectory) -> String { home.path + "/verification" }
}

extension PendingVerification: JSONBody {
  package init(json: JSONValue) throws(JSONError) {
    verificationID = try json.string("verification_id")
    phone = try json.string("phone")
    endpoint = try json.string("endpoint")
    expiresAt = try json.timestamp("expires_at")
    resendAt = try json.timestamp("resend_at")
  }
}

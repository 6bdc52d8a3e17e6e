package import Model

// The bodies of the routes under /v1/auth.

/// `POST /v1/auth/verifications`: send a code to this number.
package struct VerificationRequest: Hashable, Sendable {
  /// The number as dialed in `region`, or E.164.
  package var phone: String
  /// ISO 3166-1 alpha-2; nil if the number is international.
  package var region: String?
  /// For the challenge in the server's last answer; nil if there was none.
  package var proof: WorkProof?

  package init(phone: String, region: String?, proof: WorkProof? = nil) {
    self.phone = phone
    self.region = region
    self.proof = proof
  }

  package func json() -> [UInt8] {
    var json = JSONWriter()
    json.object { json in
      json.member("phone", phone)
      json.member("region", region)
      guard let proof else { return }
      json.key("proof")
      proof.write(to: &json)
    }
    return json.bytes
  }
}

extension VerificationRequest: JSONBody {
  package init(json: JSONValue) throws(JSONError) {
    phone = try json.string("phone")
    region = try json.optionalString("region")
    guard let member = try json.optional("proof") else { return }
    proof = try WorkProof(json: member)
  }
}

/// The answer to `POST /v1/auth/verifications`; identical for known and unknown numbers.
package struct VerificationResponse: Hashable, Sendable {
  package var verificationID: String
  package var expiresAt: Timestamp
  package var resendAt: Timestamp

  package init(verificationID: String, expiresAt: Timestamp, resendAt: Timestamp) {
    self.verificationID = verificationID
    self.expiresAt = expiresAt
    self.resendAt = resendAt
  }

  package func json() -> [UInt8] {
    var json = JSONWriter()
    json.object {
      $0.member("verification_id", verificationID)
      $0.member("expires_at", expiresAt.description)
      $0.member("resend_at", resendAt.description)
    }
    return json.bytes
  }
}

extension VerificationResponse: JSONBody {
  package init(json: JSONValue) throws(JSONError) {
    verificationID = try json.opaque("verification_id")
    expiresAt = try json.timestamp("expires_at")
    resendAt = try json.timestamp("resend_at")
  }
}

/// `POST /v1/auth/sessions`: the code that arrived.
package struct SessionRequest: Hashable, Sendable {
  package var verificationID: String
  package var code: String
  package var deviceName: String

  package init(verificationID: String, code: String, deviceName: String) {
    self.verificationID = verificationID
    self.code = code
    self.deviceName = deviceName
  }

  package func json() -> [UInt8] {
    var json = JSONWriter()
    json.object {
      $0.member("verification_id", verificationID)
      $0.member("code", code)
      $0.member("device_name", deviceName)
    }
    return json.bytes
  }
}

extension SessionRequest: JSONBody {
  package init(json: JSONValue) throws(JSONError) {
    verificationID = try json.string("verification_id")
    code = try json.string("code")
    deviceName = try json.string("device_name")
  }
}

/// The body of `POST /v1/auth/tokens`.
package struct TokenRequest: Hashable, Sendable {
  package var refreshToken: String

  package init(refreshToken: String) {
    self.refreshToken = refreshToken
  }

  package func json() -> [UInt8] {
    var json = JSONWriter()
    json.object { $0.member("refresh_token", refreshToken) }
    return json.bytes
  }
}

extension TokenRequest: JSONBody {
  package init(json: JSONValue) throws(JSONError) {
    refreshToken = try json.string("refresh_token")
  }
}

/// A session's tokens: the answer to `POST /v1/auth/tokens`, and part of a new session.
package struct TokenResponse: Hashable, Sendable {
  package var accessToken: String
  package var refreshToken: String
  /// When the access token expires, by the server's clock.
  package var expiresAt: Timestamp

  package init(accessToken: String, refreshToken: String, expiresAt: Timestamp) {
    self.accessToken = accessToken
    self.refreshToken = refreshToken
    self.expiresAt = expiresAt
  }

  package func json() -> [UInt8] {
    var json = JSONWriter()
    json.object { writeMembers(to: &$0) }
    return json.bytes
  }

  func writeMembers(to json: inout JSONWriter) {
    json.member("access_token", accessToken)
    json.member("refresh_token", refreshToken)
    json.member("expires_at", expiresAt.description)
  }
}

extension TokenResponse: JSONBody {
  package init(json: JSONValue) throws(JSONError) {
    accessToken = try json.token("access_token")
    refreshToken = try json.token("refresh_token")
    expiresAt = try json.timestamp("expires_at")
  }
}

/// The answer to `POST /v1/auth/sessions`.
package struct SessionResponse: Hashable, Sendable {
  package var tokens: TokenResponse
  /// Long-lived and revocable: may only push alerts, also after the session has expired.
  package var alertKey: String
  package var user: User

  package struct User: Hashable, Sendable {
    package var id: AccountID
    /// E.164.
    package var phone: String

    package init(id: AccountID, phone: String) {
      self.id = id
      self.phone = phone
    }
  }

  package init(tokens: TokenResponse, alertKey: String, user: User) {
    self.tokens = tokens
    self.alertKey = alertKey
    self.user = user
  }

  package func json() -> [UInt8] {
    var json = JSONWriter()
    json.object { json in
      tokens.writeMembers(to: &json)
      json.member("alert_key", alertKey)
      json.key("user")
      json.object {
        $0.member("id", user.id.description)
        $0.member("phone", user.phone)
      }
    }
    return json.bytes
  }
}

extension SessionResponse: JSONBody {
  package init(json: JSONValue) throws(JSONError) {
    tokens = try TokenResponse(json: json)
    alertKey = try json.token("alert_key")
    let person = try json.required("user")
    user = User(id: try person.identifier("id"), phone: try person.string("phone"))
  }
}

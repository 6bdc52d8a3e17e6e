/// An error answer, RFC 9457 `application/problem+json`.
///
/// Only a problem with a `type` of ours comes from our server; any other error is a network failure and is retried. See
/// `OwnAnswer`.
package struct Problem: Hashable, Sendable, Error {
  /// Stable error codes. On the wire the `type` is `urn:lifesignal:problem:` followed by the raw value.
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    case malformedRequest = "malformed-request"
    case invalidPhoneNumber = "invalid-phone-number"
    case unauthorized
    case forbidden
    case notFound = "not-found"
    case methodNotAllowed = "method-not-allowed"
    case conflict
    case gone
    case bodyTooLarge = "body-too-large"
    case unsupportedMediaType = "unsupported-media-type"
    case codeWrong = "code-wrong"
    case codeExpired = "code-expired"
    case codeUsed = "code-used"
    case codeTriesExhausted = "code-tries-exhausted"
    case sessionRevoked = "session-revoked"
    case rateLimited = "rate-limited"
    case timeout = "request-timeout"
    case headersTooLarge = "headers-too-large"
    case unavailable
    case internalError = "internal-error"

    package var status: Int {
      switch self {
      case .malformedRequest, .invalidPhoneNumber: 400
      case .unauthorized, .sessionRevoked: 401
      case .forbidden: 403
      case .notFound: 404
      case .methodNotAllowed: 405
      case .timeout: 408
      case .conflict: 409
      case .gone: 410
      case .bodyTooLarge: 413
      case .unsupportedMediaType: 415
      case .codeWrong, .codeExpired, .codeUsed, .codeTriesExhausted: 422
      case .rateLimited: 429
      case .headersTooLarge: 431
      case .internalError: 500
      case .unavailable: 503
      }
    }

    package var title: String {
      switch self {
      case .malformedRequest: "The request is not well formed"
      case .invalidPhoneNumber: "This is not a phone number"
      case .unauthorized: "Sign in first"
      case .forbidden: "Not allowed"
      case .notFound: "There is nothing here"
      case .methodNotAllowed: "This cannot be done here"
      case .timeout: "The request took too long"
      case .conflict: "It cannot be done now"
      case .gone: "It is no longer here"
      case .bodyTooLarge: "The request is too large"
      case .unsupportedMediaType: "The body has the wrong type"
      case .codeWrong: "The code is wrong"
      case .codeExpired: "The code has expired"
      case .codeUsed: "The code was used before"
      case .codeTriesExhausted: "Too many wrong codes"
      case .sessionRevoked: "The session was ended"
      case .rateLimited: "Too many requests"
      case .headersTooLarge: "The headers are too large"
      case .internalError: "The server made a mistake"
      case .unavailable: "The server cannot answer now"
      }
    }
  }

  package static let typePrefix = "urn:lifesignal:problem:"
  package static let mediaType = "application/problem+json"

  package var kind: Kind
  /// One line for a person: what failed and what to do. Never contains a value that they sent.
  package var detail: String
  /// Where work gets ahead of what is refused here.
  package var work: WorkChallenge?

  /// The code and status of a newer server's problem that this version does not know. `kind` is then derived from the status
  /// alone.
  private var unknown: Unknown?

  private struct Unknown: Hashable {
    var code: String
    var status: Int
  }

  package init(_ kind: Kind, _ detail: String) {
    self.kind = kind
    self.detail = detail
  }

  package var status: Int { unknown?.status ?? kind.status }
  /// Whether this version does not know the code. An unknown problem never parks an item.
  package var isUnknown: Bool { unknown != nil }

  package func json() -> [UInt8] {
    var json = JSONWriter()
    json.object { json in
      json.member("type", Self.typePrefix + (unknown?.code ?? kind.rawValue))
      json.member("title", kind.title)
      json.member("status", status)
      json.member("detail", detail)
      guard let work else { return }
      json.key("proof_of_work")
      work.write(to: &json)
    }
    return json.bytes
  }
}

extension Problem: JSONBody {
  /// Throws if the `type` is not one of ours.
  package init(json: JSONValue) throws(JSONError) {
    let type = try json.string("type")
    guard type.hasPrefix(Self.typePrefix) else { throw JSONError(.wrongShape, "this is no problem of ours") }
    let detail = (try? json.optionalString("detail"))??.foreignLine
    let code = String(type.dropFirst(Self.typePrefix.count))
    if let kind = Kind(rawValue: code) {
      self.init(kind, detail ?? kind.title)
    } else {
      let status = try json.integer("status")
      let kind = Kind.nearest(to: status)
      self.init(kind, detail ?? kind.title)
      unknown = Unknown(code: code, status: status)
    }
    // A challenge that cannot be read is none: the refusal is the same without it.
    if let member = try? json.optional("proof_of_work") { work = try? WorkChallenge(json: member) }
  }
}

extension Problem.Kind {
  /// The meaning of a status alone, without its code (RFC 9110 §15).
  fileprivate static func nearest(to status: Int) -> Self {
    switch status {
    case 401: .unauthorized
    case 403: .forbidden
    case 408: .timeout
    case 413: .bodyTooLarge
    case 429: .rateLimited
    case 503: .unavailable
    case 500...599: .internalError
    default: .conflict
    }
  }
}

import Secrets
import Wire

/// How the SMS gateway hands over what responders text back, with `POST /v1/inbound/sms`.
package struct SMSAnswers: Sendable, Hashable {
  /// Shorter secrets can be guessed.
  static let minimumSecretBytes = 16

  /// The fields of the body, a form or JSON, with the sender's number and the text.
  package var senderField = "from"
  package var textField = "text"
  package var reply = ReplyWay.response

  /// How a reply gets to the sender.
  package enum ReplyWay: String, Sendable, Hashable {
    /// The gateway sends what its request is answered with.
    case response
    /// As a text message of its own, through the queue: for a gateway that sends nothing of an answer.
    case message
  }

  /// Of the secret that the gateway shows. Hashes have one length, so that a comparison does not tell that of the secret.
  private let secretHash: [UInt8]

  /// Nil for a secret of less than 16 characters, or with other characters than a header's value has.
  package init?(secret: String) {
    guard secret.utf8.count >= Self.minimumSecretBytes, secret.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      return nil
    }
    secretHash = SHA256.of(Array(secret.utf8))
  }

  /// Reads `{"secret": …, "from": "from", "text": "text", "reply": "response"}`; all but `secret` may be missing.
  init(
    _ json: JSONValue, _ secret: (String) throws(GatewayTemplate.TemplateError) -> String
  ) throws(GatewayTemplate.TemplateError) {
    let template: String
    let names: [String?]
    let way: String?
    do throws(JSONError) {
      template = try json.string("secret")
      names = [try json.optionalString("from"), try json.optionalString("text")]
      way = try json.optionalString("reply")
    } catch {
      throw GatewayTemplate.TemplateError(message: "answers: \(error.message)")
    }
    guard let answers = SMSAnswers(secret: try GatewayTemplate.withSecrets(template, secret) { $0 }) else {
      throw GatewayTemplate.TemplateError(
        message: "answers: the secret must have \(Self.minimumSecretBytes) characters of ASCII or more, without spaces")
    }
    self = answers
    if let name = names[0] { senderField = name }
    if let name = names[1] { textField = name }
    guard let way else { return }
    guard let reply = ReplyWay(rawValue: way) else {
      throw GatewayTemplate.TemplateError(message: "answers: \"reply\" is \"response\" or \"message\"")
    }
    self.reply = reply
  }

  /// Throws `unauthorized` unless the header shows the secret: as `Bearer SECRET`, or as the password of `Basic`, which a gateway sends that was
  /// given a URL with a user name (RFC 7617).
  func check(_ authorization: String?) throws(Problem) {
    let parts = authorization?.split(separator: " ", omittingEmptySubsequences: true) ?? []
    guard parts.count == 2 else { throw Problem(.unauthorized, "show the gateway's secret") }
    let shown: [UInt8]
    switch parts[0].lowercased() {
    case "bearer": shown = Array(parts[1].utf8)
    case "basic":
      let login = Base64.decode(String(parts[1])) ?? []
      shown = Array(login.drop { $0 != UInt8(ascii: ":") }.dropFirst())
    default: shown = []
    }
    guard ConstantTime.equal(SHA256.of(shown), secretHash) else {
      throw Problem(.unauthorized, "this is not the gateway's secret")
    }
  }
}

extension ServerConfiguration {
  /// Throws `notFound` if the SMS gateway hands over none.
  func smsAnswers() throws(Problem) -> SMSAnswers {
    guard let answers = smsGateway?.answers else { throw Problem(.notFound, "this server takes no text messages") }
    return answers
  }
}

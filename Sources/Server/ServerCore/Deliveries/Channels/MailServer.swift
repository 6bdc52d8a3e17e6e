import Wire

/// The operator's mail server, which takes the mails to responders and passes them on.
package struct MailServer: Sendable, Hashable {
  package struct Login: Sendable, Hashable {
    package var user: String
    package var password: String
  }

  /// `smtp://host:587`, encrypted by STARTTLS, or `smtps://host:465`.
  package var url: String
  /// The address from which mails come.
  package var sender: MailAddress
  package var login: Login?
  /// Whether the connection is encrypted before anything is sent on it. Only false to this machine.
  package var demandsEncryption: Bool
  /// A PEM file. If set, only these authorities are trusted, not the system's.
  package var certificateAuthorityFile: String?

  /// Without a login. Throws a line for the operator.
  package init(url: String, sender: String) throws(GatewayTemplate.TemplateError) {
    try self.init(url: url, sender: sender, isEncrypted: nil)
  }

  /// Reads `{"url": …, "from": …, "user": …, "password": …, "tls": …, "ca": …}`; all but the first two may be missing. `tls` is whether
  /// `smtp://` must become encrypted: to this machine it need not.
  ///
  /// Throws a line for the operator where it is not JSON of this shape, or the server cannot be used as it says.
  /// - Parameter secret: The secret for `{file:PATH}`, by its path.
  package init(
    json bytes: [UInt8],
    secret: (String) throws(GatewayTemplate.TemplateError) -> String = { _ throws(GatewayTemplate.TemplateError) in "" }
  ) throws(GatewayTemplate.TemplateError) {
    let url: String
    let sender: String
    let isEncrypted: Bool?
    let authorities: String?
    let user: String?
    let password: String?
    do throws(JSONError) {
      let root = try JSONDocument(bytes).root
      url = try root.string("url")
      sender = try root.string("from")
      isEncrypted = try root.optionalBoolean("tls")
      user = try root.optionalString("user")
      password = try root.optionalString("password")
      authorities = try root.optionalString("ca")
    } catch {
      throw GatewayTemplate.TemplateError(message: error.message)
    }
    try self.init(url: url, sender: sender, isEncrypted: isEncrypted)
    certificateAuthorityFile = authorities
    switch (user, password) {
    case (nil, nil): break
    case (let user?, let password?):
      login = Login(user: user, password: try GatewayTemplate.withSecrets(password, secret) { $0 })
    default: throw GatewayTemplate.TemplateError(message: "user and password go together")
    }
  }

  private init(url: String, sender: String, isEncrypted: Bool?) throws(GatewayTemplate.TemplateError) {
    guard let host = Self.host(of: url) else {
      throw GatewayTemplate.TemplateError(message: "the URL must be like smtp://mail.example.org:587 or smtps://…:465")
    }
    guard let sender = MailAddress(sender) else {
      throw GatewayTemplate.TemplateError(message: "from must be an address like alerts@example.org")
    }
    let isHere = ["127.0.0.1", "localhost", "[::1]"].contains(host)
    let isEncrypted = isEncrypted ?? (!isHere || url.hasPrefix("smtps:"))
    guard isEncrypted || isHere && !url.hasPrefix("smtps:") else {
      throw GatewayTemplate.TemplateError(message: "a mail goes unencrypted to this machine alone")
    }
    self.url = url
    self.sender = sender
    demandsEncryption = isEncrypted
  }

  /// In lower case, without its port; nil where it is no URL of a mail server.
  private static func host(of url: String) -> String? {
    guard let scheme = ["smtp://", "smtps://"].first(where: url.hasPrefix) else { return nil }
    let rest = url.dropFirst(scheme.utf8.count).lowercased()
    let end = rest.hasPrefix("[") ? rest.firstIndex(of: "]").map(rest.index(after:)) : rest.firstIndex(of: ":")
    let host = rest[..<(end ?? rest.endIndex)]
    let port = rest[host.endIndex...]
    let isHost =
      host.hasPrefix("[")
      ? host.hasSuffix("]") && host.dropFirst().dropLast().allSatisfy { $0.isHexDigit || ":.".contains($0) }
      : !host.isEmpty && host.utf8.allSatisfy(MailAddress.isOfDomain)
    guard isHost, port.isEmpty || port.hasPrefix(":") && UInt16(port.dropFirst()) != nil else { return nil }
    return String(host)
  }
}

import Glibc
import ServerCore
import SystemKit
import Wire

/// The files that describe the gateways and the mail server: a `GatewayTemplate` or a `MailServer`, in which `{file:PATH}` stands for the
/// first line of another file, so that a secret is in a file of its own.
enum GatewayFile {
  /// What an option with the URL of a gateway or the path of its file says. Throws `data` where it cannot be used.
  static func gateway(_ value: String, for option: String) throws(ServerFailure) -> GatewayTemplate {
    guard value.contains("://") else {
      return try reading(value, for: option) { bytes throws(GatewayTemplate.TemplateError) in
        let gateway = try GatewayTemplate(json: bytes, secret: secret)
        try allow(["url", "method", "headers", "body", "success", "answers"], in: bytes)
        try allow(["secret", "from", "text", "reply"], in: bytes, of: "answers")
        return gateway
      }
    }
    guard GatewayTemplate.isAllowed(value) else {
      throw ServerFailure(.data, "--\(option) must be the https:// URL of a gateway, or a file")
    }
    guard !hasLogin(value) else {
      throw ServerFailure(
        .usage,
        "--\(option): others can see a password in a URL: name a FILE that describes the gateway, with {file:PATH} for the "
          + "password (--help says how)")
    }
    return GatewayTemplate(url: value)
  }

  /// Whether there is a user's name, or a password too, before the host.
  private static func hasLogin(_ url: String) -> Bool {
    url.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false).dropFirst(2).first?.contains("@") ?? false
  }

  /// What `--voice` says. Nobody answers a machine that reads aloud.
  static func voiceGateway(_ value: String) throws(ServerFailure) -> GatewayTemplate {
    let gateway = try gateway(value, for: "voice")
    guard gateway.answers == nil else { throw ServerFailure(.data, "--voice \(value): answers belong to --sms") }
    return gateway
  }

  /// What `--smtp` says. With a URL alone mails come from `lifesignal@` the host of `publicURL`. Throws `data` where it cannot be used.
  static func mailServer(_ value: String, publicURL: String?) throws(ServerFailure) -> MailServer {
    guard value.contains("://") else {
      return try reading(value, for: "smtp") { bytes throws(GatewayTemplate.TemplateError) in
        let server = try MailServer(json: bytes, secret: secret)
        try allow(["url", "from", "user", "password", "ca", "tls"], in: bytes)
        if let authorities = server.certificateAuthorityFile { _ = try contents(of: authorities) }
        return server
      }
    }
    guard let publicURL else {
      throw ServerFailure(.data, "--smtp URL needs --public-url too: mails come from an address there")
    }
    let host = publicURL.split(separator: "/")[1].prefix { $0 != ":" }
    do throws(GatewayTemplate.TemplateError) {
      return try MailServer(url: value, sender: "lifesignal@\(host)")
    } catch {
      throw ServerFailure(.data, "--smtp: \(error.message)")
    }
  }

  /// Throws where it has another member, since a misspelled "success" would have every refusal count as sent, or one twice.
  private static func allow(
    _ names: Set<String>, in bytes: [UInt8], of member: StaticString? = nil
  ) throws(GatewayTemplate.TemplateError) {
    do throws(JSONError) {
      let root = try JSONDocument(bytes).root
      guard let object = try member.map({ name throws(JSONError) in try root.optional(name) }) ?? root else { return }
      let place = member.map { " in “\($0)”" } ?? ""
      var found: Set<String> = []
      for name in try object.names() where !found.insert(name).inserted {
        throw JSONError(.wrongShape, "“\(name)” stands twice\(place)")
      }
      guard let unknown = found.sorted().first(where: { !names.contains($0) }) else { return }
      throw JSONError(
        .wrongShape, "there is no “\(unknown)”\(place), but \(names.sorted().joined(separator: ", "))")
    } catch {
      throw GatewayTemplate.TemplateError(message: error.message)
    }
  }

  private static func reading<Result>(
    _ path: String, for option: String, _ read: ([UInt8]) throws(GatewayTemplate.TemplateError) -> Result
  ) throws(ServerFailure) -> Result {
    do throws(GatewayTemplate.TemplateError) {
      return try read(try contents(of: path))
    } catch {
      // As in "mail.example.org:587".
      let isURL = !path.contains("/") && access(path, F_OK) != 0
      let advice = isURL ? "; a URL begins with \(option == "smtp" ? "smtp://" : "https://")" : ""
      throw ServerFailure(.data, "--\(option) \(path): \(error.message)\(advice)")
    }
  }

  /// The first line of a file, which may be one of systemd's credentials.
  private static func secret(_ name: String) throws(GatewayTemplate.TemplateError) -> String {
    let path: String
    do throws(CredentialFolder.Missing) {
      path = try CredentialFolder.expand(name)
    } catch {
      throw GatewayTemplate.TemplateError(message: CredentialFolder.Missing.message)
    }
    let text = String(decoding: try contents(of: path), as: UTF8.self)
    guard let line = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).first, !line.isEmpty
    else {
      throw GatewayTemplate.TemplateError(message: "the first line of \(path) is empty")
    }
    return String(line)
  }

  private static func contents(of path: String) throws(GatewayTemplate.TemplateError) -> [UInt8] {
    let bytes: [UInt8]?
    do throws(SystemError) {
      bytes = try WholeFile.read(path, maximumBytes: 1 << 20)
    } catch {
      throw GatewayTemplate.TemplateError(message: "\(path) cannot be read: \(error.reason)")
    }
    guard let bytes else {
      throw GatewayTemplate.TemplateError(message: "\(path) cannot be read: \(SystemError(ENOENT, "").reason)")
    }
    return bytes
  }
}

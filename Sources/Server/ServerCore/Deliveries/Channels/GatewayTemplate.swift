import Model
import Wire

/// The request that an HTTP gateway takes for a text message or a telephone call: a template with `{to}`, `{text}` and `{id}`.
///
/// Values are escaped for their place: percent-encoded in the URL and in a form, as the content of a string in JSON. `{id}` is the same for
/// attempts that say the same, so that a gateway can drop a repeated one.
package struct GatewayTemplate: Sendable, Hashable {
  package var method: String
  /// HTTPS, or HTTP to this machine.
  package var url: String
  package var headers: [HeaderField]
  package var body: String
  /// What the body of a 2xx answer must contain, in any case of its letters, or the gateway did not take the message; nil: 2xx is enough.
  package var success: String?
  /// How responders' answers come back; nil: they do not.
  package var answers: SMSAnswers?
  private var form: BodyForm

  /// How values are written in the body.
  private enum BodyForm: Sendable {
    case json, urlEncoded, plain

    /// By the media type; nil for one that is not supported. A body without a type is a form, as libcurl sends it.
    init?(_ type: String?) {
      guard let type = type?.prefix(while: { $0 != ";" }).lowercased().filter({ $0 != " " }) else {
        self = .urlEncoded
        return
      }
      switch type {
      case "application/x-www-form-urlencoded": self = .urlEncoded
      case "text/plain": self = .plain
      case _ where type == "application/json" || type.hasSuffix("+json"): self = .json
      default: return nil
      }
    }

    func escaped(_ text: String) -> String {
      switch self {
      case .json: JSONEscape.escaped(text)
      case .urlEncoded: URLEncoding.encoded(text)
      case .plain: text
      }
    }
  }

  /// `POST {"to": …, "text": …, "id": …}` as JSON.
  package init(url: String) {
    method = "POST"
    self.url = url
    headers = [HeaderField("Content-Type", "application/json")]
    body = #"{"to":"{to}","text":"{text}","id":"{id}"}"#
    form = .json
  }

  /// Reads `{"url": …, "method": "POST", "headers": ["Name: value"], "body": …, "success": …, "answers": …}`; all but `url` may be missing.
  ///
  /// Throws a line for the operator where it is not JSON of this shape, or nothing could be sent as it says.
  /// - Parameter secret: The secret for `{file:PATH}`, by its path.
  package init(
    json bytes: [UInt8], secret: (String) throws(TemplateError) -> String = { _ throws(TemplateError) in "" }
  ) throws(TemplateError) {
    let answersJSON: JSONValue?
    do throws(JSONError) {
      let root = try JSONDocument(bytes).root
      answersJSON = try root.optional("answers")
      url = try root.string("url")
      method = try root.optionalString("method") ?? "POST"
      body = try root.optionalString("body") ?? ""
      success = try root.optionalString("success")
      headers = []
      for line in try root.optionalArray("headers")?.map({ line throws(JSONError) in try line.string() }) ?? [] {
        guard let colon = line.firstIndex(of: ":") else { throw JSONError(.wrongShape, "a header is like Name: value") }
        headers.append(HeaderField(String(line[..<colon]), String(line[colon...].dropFirst().drop { $0 == " " })))
      }
    } catch {
      throw TemplateError(message: error.message)
    }
    guard let form = BodyForm(headers.first { $0.name.lowercased() == "content-type" }?.value) else {
      throw TemplateError(message: "the body must be JSON, a form or plain text")
    }
    self.form = form
    try checkPlaces()
    answers = try answersJSON.map { json throws(TemplateError) in try SMSAnswers(json, secret) }
    url = try Self.withSecrets(url, secret, URLEncoding.encoded)
    body = try Self.withSecrets(body, secret, form.escaped)
    for place in headers.indices { headers[place].value = try Self.withSecrets(headers[place].value, secret) { $0 } }
    try check()
  }

  package struct TemplateError: Error {
    /// A line for the operator.
    package var message: String

    package init(message: String) { self.message = message }
  }

  /// Before secrets are filled in, which may have braces of their own.
  private func checkPlaces() throws(TemplateError) {
    for template in [url, body] + headers.map(\.value) {
      // `{name}`, but not the braces of JSON.
      for part in template.split(separator: "{", omittingEmptySubsequences: false).dropFirst() {
        let name = part.prefix { $0.isASCII && ($0.isLetter || $0 == "_") }
        guard !name.isEmpty, part[name.endIndex...].first == "}", !["to", "text", "id"].contains(name) else { continue }
        throw TemplateError(message: "there is no {\(name)}, but {to}, {text}, {id} and {file:PATH}")
      }
    }
  }

  /// Fills the body once: what no gateway can read is found before the first call for help.
  private func checkBody() throws(TemplateError) {
    let hasType = headers.contains { $0.name.lowercased() == "content-type" }
    let beginning = String(body.lazy.filter { !$0.isWhitespace }.prefix(2))
    guard hasType || !["{\"", "[{", "[\""].contains(beginning) else {
      throw TemplateError(message: "a JSON body needs the header Content-Type: application/json")
    }
    guard case .json = form, !body.isEmpty else { return }
    do throws(JSONError) {
      _ = try JSONDocument(request(to: "+12025550123", text: "\"a\"\n", id: "7").body).root
    } catch {
      throw TemplateError(
        message: "the filled body is not JSON: {to}, {text} and {id} must stand within quotation marks")
    }
  }

  private func check() throws(TemplateError) {
    try checkBody()
    guard Self.isAllowed(url) else { throw TemplateError(message: "the URL must be https://, or of this machine") }
    let places = url + body
    for place in ["{to}", "{text}"] where !places.contains(place) {
      throw TemplateError(message: "neither the URL nor the body has \(place)")
    }
    guard !method.isEmpty, method.utf8.allSatisfy({ (0x41...0x5A).contains($0) }) else {
      throw TemplateError(message: "the method must be like POST")
    }
    for header in headers {
      guard !header.name.isEmpty, header.name.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != 0x3A }),
        header.value.utf8.allSatisfy({ (0x20...0x7E).contains($0) }), !header.value.contains("{text}")
      else { throw TemplateError(message: "the header \(header.name) must be ASCII, without {text}") }
    }
  }

  /// Whether a gateway may be there. Messages are confidential: HTTPS, except to this machine.
  package static func isAllowed(_ url: String) -> Bool {
    guard url.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { return false }
    if url.hasPrefix("https://") { return url.utf8.count > 8 }
    return ["http://127.0.0.1", "http://localhost", "http://[::1]"].contains { host in
      guard url.hasPrefix(host) else { return false }
      guard let next = url.dropFirst(host.count).first else { return true }
      return ":/?".contains(next)
    }
  }

  package func request(to number: String, text: String, id: String) -> ChannelRequest {
    let values = ["{to}": number, "{text}": text, "{id}": id]
    return ChannelRequest(
      method: method, url: Self.filled(url, values, URLEncoding.encoded),
      headers: headers.map { HeaderField($0.name, Self.filled($0.value, values) { $0 }) },
      body: Array(Self.filled(body, values, form.escaped).utf8), addresses: .httpsOrLoopback, success: success)
  }

  /// One pass, so that a value which looks like a place is not filled again.
  private static func filled(_ template: String, _ values: [String: String], _ escape: (String) -> String) -> String {
    var result = ""
    var rest = template[...]
    while let open = rest.firstIndex(of: "{") {
      result += rest[..<open]
      rest = rest[open...]
      if let (place, value) = values.first(where: { rest.hasPrefix($0.key) }) {
        result += escape(value)
        rest = rest.dropFirst(place.count)
      } else {
        result.append(rest.removeFirst())
      }
    }
    return result + rest
  }

  /// `template` with each `{file:PATH}` replaced by its secret, escaped.
  static func withSecrets(
    _ template: String, _ secret: (String) throws(TemplateError) -> String, _ escape: (String) -> String
  ) throws(TemplateError) -> String {
    var result = ""
    var rest = template[...]
    while let place = rest.firstRange(of: "{file:") {
      guard let end = rest[place.upperBound...].firstIndex(of: "}") else {
        throw TemplateError(message: "{file: has no end")
      }
      result += rest[..<place.lowerBound] + escape(try secret(String(rest[place.upperBound..<end])))
      rest = rest[rest.index(after: end)...]
    }
    return result + rest
  }
}

import Secrets
import Wire

/// The request that an HTTP gateway takes for a text message: a template with `{to}`, `{text}` and `{id}`.
///
/// Each value is escaped for its place: percent-encoded in the URL and in a form, as a JSON string's content in JSON.
package struct GatewayTemplate: Sendable, Hashable {
  package var method: String
  /// HTTPS, or HTTP to this machine.
  package var url: String
  package var headers: [HeaderField]
  package var body: String
  /// What the body of a 2xx answer must contain, or the gateway did not take the message; nil: 2xx is enough.
  package var success: String?

  /// `POST {"to": …, "text": …}` as JSON.
  package init(url: String) {
    method = "POST"
    self.url = url
    headers = [HeaderField("Content-Type", "application/json")]
    body = #"{"to":"{to}","text":"{text}"}"#
  }

  /// Reads `{"url": …, "method": "POST", "headers": ["Name: value"], "body": …, "success": …}`; all but `url` may be missing.
  ///
  /// Throws a line for the operator where it is not JSON of this shape, or does not say where the number and the text go.
  package init(json bytes: [UInt8]) throws(TemplateError) {
    do throws(JSONError) {
      let root = try JSONDocument(bytes).root
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
    guard Self.isAllowed(url) else { throw TemplateError(message: "the URL must be https://, or of this machine") }
    let places = url + body
    for place in ["{to}", "{text}"] where !places.contains(place) {
      throw TemplateError(message: "neither the URL nor the body has \(place)")
    }
    guard !method.isEmpty, method.utf8.allSatisfy({ (0x41...0x5A).contains($0) }) else {
      throw TemplateError(message: "the method must be like POST")
    }
  }

  /// Whether a gateway may be there: codes and alerts are not for everybody on the way.
  package static func isAllowed(_ url: String) -> Bool {
    let loopback = ["http://127.0.0.1", "http://localhost", "http://[::1]"]
    return url.hasPrefix("https://")
      || loopback.contains { host in
        guard url.hasPrefix(host) else { return false }
        guard let next = url.dropFirst(host.count).first else { return true }
        return ":/?".contains(next)
      }
  }

  package struct TemplateError: Error {
    package var message: String
  }

  package func request(to number: String, text: String, id: String) -> ChannelRequest {
    let values = ["{to}": number, "{text}": text, "{id}": id]
    let type = headers.first { $0.name.lowercased() == "content-type" }?.value.lowercased() ?? ""
    return ChannelRequest(
      method: method, url: Self.filled(url, values, URLEncoding.encoded), headers: headers,
      body: Array(Self.filled(body, values, Self.escape(in: type)).utf8), addresses: .httpsOrLoopback, success: success)
  }

  private static func escape(in type: String) -> (String) -> String {
    if type.hasPrefix("application/json") { return JSONEscape.escaped }
    if type.hasPrefix("application/x-www-form-urlencoded") { return URLEncoding.encoded }
    return { $0 }
  }

  /// Whether the body of a 2xx answer says that the message was taken.
  package func isSuccess(_ body: [UInt8]) -> Bool { success.map(body.contains) ?? true }

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
}

extension [UInt8] {
  /// Whether the text stands in it.
  package func contains(_ text: String) -> Bool { firstRange(of: Array(text.utf8)) != nil }
}

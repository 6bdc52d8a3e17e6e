/// A request as the shell read it from the wire: whole, and within the shell's own limits.
package struct ServerRequest: Sendable {
  /// Upper case, as in `POST`.
  package var method: String
  /// Percent-decoded, without the query.
  package var path: String
  /// Percent-decoded. If a name is repeated, the last value counts.
  package var query: [String: String]
  /// The `Authorization` header.
  package var authorization: String?
  /// The `Accept-Language` header.
  package var acceptLanguage: String?
  /// The `Content-Type` header.
  package var contentType: String?
  package var body: [UInt8]
  /// In the server's log, and in answers that an operator may be asked about.
  package var id = ""
  /// The peer's address without its port, for rate limits; text of an IPv4 or IPv6 address.
  package var remoteAddress: String

  package init(
    method: String, path: String, query: [String: String] = [:], authorization: String? = nil,
    acceptLanguage: String? = nil, contentType: String? = nil, body: [UInt8] = [], remoteAddress: String
  ) {
    self.method = method
    self.path = path
    self.query = query
    self.authorization = authorization
    self.acceptLanguage = acceptLanguage
    self.contentType = contentType
    self.body = body
    self.remoteAddress = remoteAddress
  }
}

extension ServerRequest {
  static let json = "application/json"
  static let form = "application/x-www-form-urlencoded"

  /// Of the body, in lower case, without parameters.
  var mediaType: String {
    if contentType == Self.json { return Self.json }
    let given = contentType?.prefix { $0 != ";" }.lowercased() ?? ""
    return given.filter { $0 != " " && $0 != "\t" }
  }

  var isJSON: Bool { mediaType == Self.json }
}

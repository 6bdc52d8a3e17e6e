/// Decides whether an answer comes from our own server. The most important rule on the device: nothing between it and the
/// server (a proxy, a captive portal, another service at the same address) may ever end an alert.
///
/// - A refusal is ours if it is `application/problem+json`, its `type` is one of ours, and its status equals the answer's.
/// - A success is ours if its body has the shape that the route promises.
/// - Every other answer is a network failure: the request stays queued and is retried.
package enum OwnAnswer {
  /// The problem in an answer; nil if our server did not write it.
  /// - Parameter contentType: the header's value, with or without parameters; nil if it is missing.
  package static func problem(status: Int, contentType: String?, body: [UInt8]) -> Problem? {
    guard mediaType(contentType) == Problem.mediaType, let problem = try? Problem(jsonBytes: body),
      problem.status == status
    else { return nil }
    return problem
  }

  /// The body of a success; nil if it does not have the shape that the route promises.
  package static func body<Body: JSONBody>(_ type: Body.Type, _ bytes: [UInt8]) -> Body? {
    try? Body(jsonBytes: bytes)
  }

  /// As `body(_:_:)`, but nil unless the content type is JSON: for answers whose body is stored as a secret.
  package static func body<Body: JSONBody>(_ type: Body.Type, contentType: String?, _ bytes: [UInt8]) -> Body? {
    mediaType(contentType) == "application/json" ? body(type, bytes) : nil
  }

  /// The media type without parameters, in lower case.
  private static func mediaType(_ contentType: String?) -> String? {
    contentType?.prefix { $0 != ";" && $0 != " " }.lowercased()
  }

  /// The message for a person whose request something else answered.
  package static let foreignText = "this network answered instead of your server; it may need a log-in"
}

/// Is this our own server's answer? The most important rule on the device: whatever else stands between it and the server, as a
/// proxy, a captive portal or another service at the same address, must never end the life of an alert.
///
/// - A refusal is ours where it is `application/problem+json` whose `type` is one of ours and whose status is that of the answer.
/// - A success is ours where its body is what the route promises.
/// - All else is the network's doing: what was sent stays queued, and is sent again.
package enum OwnAnswer {
  /// The problem in an answer; nil where our server did not write it.
  /// - Parameter contentType: the value of the header, with or without parameters; nil where there is none.
  package static func problem(status: Int, contentType: String?, body: [UInt8]) -> Problem? {
    guard mediaType(contentType) == Problem.mediaType, let problem = try? Problem(jsonBytes: body),
      problem.status == status
    else { return nil }
    return problem
  }

  /// The body of a success; nil where it is not of the shape that the route promises.
  package static func body<Body: JSONBody>(_ type: Body.Type, _ bytes: [UInt8]) -> Body? {
    try? Body(jsonBytes: bytes)
  }

  /// The same of an answer that must say that it is JSON, as where its body is a secret to be kept.
  package static func body<Body: JSONBody>(_ type: Body.Type, contentType: String?, _ bytes: [UInt8]) -> Body? {
    mediaType(contentType) == "application/json" ? body(type, bytes) : nil
  }

  /// Without its parameters, in lower case.
  private static func mediaType(_ contentType: String?) -> String? {
    contentType?.prefix { $0 != ";" && $0 != " " }.lowercased()
  }

  /// For a person: nobody's answer but our server's counts.
  package static func foreignText(status: Int) -> String {
    "this network answered instead of your server (HTTP \(status)); it may need a Wi-Fi log-in"
  }
}

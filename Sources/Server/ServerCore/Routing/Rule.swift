package import Model
package import Wire

/// How a route decides one request: which facts it needs, and how it answers from them.
///
/// `Asker` is what the table's access proves: `Caller`, `PageVisitor`, or `Void` where anyone may ask.
package struct Rule<Asker>: Sendable {
  /// A decision from one set of facts, committed as a whole.
  struct Part: Sendable {
    let needs: RequestNeeds
    /// Has no store in reach, and may run twice on the same input, so it changes only the work. If it throws a problem, nothing is
    /// written; if it returns one (`ServerResponse.problem`), its writes are committed, as the count of a wrong code is.
    let decide: Decision

    init(_ needs: RequestNeeds, _ decide: @escaping Decision) {
      self.needs = needs
      self.decide = decide
    }
  }

  /// Makes the rule of a request. A problem that it throws is shown only to those who may use the route.
  package typealias Maker = @Sendable (RouteInput) throws(Problem) -> Rule<Asker>
  package typealias Decision = @Sendable (Asker, inout RequestWork) throws(Problem) -> ServerResponse

  /// At least one. The last one's answer is the request's.
  let parts: [Part]

  init(parts: [Part]) {
    self.parts = parts
  }

  package init(_ needs: RequestNeeds = RequestNeeds(), decide: @escaping Decision) {
    parts = [Part(needs, decide)]
  }
}

/// The request from which a route makes its rule.
package struct RouteInput: Sendable {
  package let configuration: ServerConfiguration
  package let keys: ServerKeys
  package let request: ServerRequest
  /// The values of the pattern's braces, in order.
  package let parameters: [String]
  /// The server's wall clock.
  package let now: Timestamp
  /// The credential that the request shows is an alert key. Whether it is valid is not known yet.
  package let showsAlertKey: Bool

  /// The fields of the request's form. Throws `malformedRequest`.
  package func form() throws(Problem) -> [String: String] {
    guard let text = String(validating: request.body, as: UTF8.self), let fields = URLEncoding.fields(text[...]) else {
      throw Problem(.malformedRequest, "this form cannot be read")
    }
    return fields
  }

  /// The request's body. Throws `malformedRequest`.
  package func body<Body: JSONBody>(_ type: Body.Type) throws(Problem) -> Body {
    do {
      return try Body(jsonBytes: request.body)
    } catch {
      throw Problem(.malformedRequest, error.message)
    }
  }
}

package import Model
import Wire

/// One line of the route table: which requests it matches, who may make them, their form, and the rule that decides them.
package struct RouteEntry: Sendable {
  /// Who may make the request.
  package enum Access: Sendable, Hashable, CaseIterable {
    case anyone
    /// With a session's access token.
    case session
    /// With a session's access token or a device's alert key.
    case sessionOrAlertKey
    /// With the token of a responder's page, which stands in the path.
    case page
    /// With the secret of the SMS gateway.
    case gateway
  }

  /// The media type of the request's body. Another type is refused.
  package enum Body: Sendable, Hashable {
    /// The route ignores the body.
    case none
    /// `application/json`.
    case json
    /// `application/x-www-form-urlencoded`.
    case form
    /// Either of them: `ServerRequest.isJSON` says which.
    case jsonOrForm

    var mediaTypes: [String] {
      switch self {
      case .none: []
      case .json: [ServerRequest.json]
      case .form: [ServerRequest.form]
      case .jsonOrForm: [ServerRequest.json, ServerRequest.form]
      }
    }
  }

  /// How a problem is shown.
  package enum ErrorForm: Sendable, Hashable {
    /// To a program: `application/problem+json`.
    case problem
    /// To a person in a browser.
    case page
  }

  /// Where the request is decided.
  package enum Pool: Sendable, Hashable {
    /// At once: it needs no store.
    case immediate
    /// In a read transaction.
    case read
    /// In a read transaction, in a pool apart from devices' requests.
    case operation
    /// In a read transaction, after a proof that the store accepts writes; waits for no other read.
    case readiness
    /// In a write transaction.
    case write
  }

  enum Handler: Sendable {
    case anyone(Rule<Void>.Maker)
    case caller(Rule<Caller>.Maker)
    case visitor(Rule<PageVisitor>.Maker)
    case gateway(Rule<Void>.Maker)
  }

  package let method: String
  /// As in OpenAPI: `/v1/alerts/{id}`. A part in braces takes any one segment.
  package let pattern: String
  private let segments: [String]
  package let access: Access
  package let body: Body
  package let errors: ErrorForm
  package let pool: Pool
  /// A request that carries an alert goes before those that do not.
  package let mayCarryAlert: Bool
  let handler: Handler
  /// The answer at that time where the store cannot be read; nil: a problem.
  private(set) var withoutStore: (@Sendable (Timestamp) -> ServerResponse)?

  /// Of a body that anyone may send.
  package static let smallBodyBytes = 16 << 10

  /// A route for anyone.
  package init(
    _ method: String, _ pattern: String, body: Body = .none, errors: ErrorForm = .problem, _ pool: Pool,
    rule: @escaping Rule<Void>.Maker
  ) {
    self.init(method, pattern, .anyone, body, errors, pool, false, .anyone(rule))
  }

  /// A route for callers with a credential.
  package init(
    _ method: String, _ pattern: String, _ access: CallerAccess, body: Body = .none, errors: ErrorForm = .problem,
    _ pool: Pool, mayCarryAlert: Bool = false,
    rule: @escaping Rule<Caller>.Maker
  ) {
    let access: Access = access == .session ? .session : .sessionOrAlertKey
    self.init(method, pattern, access, body, errors, pool, mayCarryAlert, .caller(rule))
  }

  /// A route of a responder's page. The first brace of `pattern` is its token. Problems are shown as pages.
  package init(
    page method: String, _ pattern: String, body: Body = .none, _ pool: Pool,
    rule: @escaping Rule<PageVisitor>.Maker
  ) {
    self.init(method, pattern, .page, body, .page, pool, false, .visitor(rule))
  }

  /// A route for the SMS gateway.
  package init(
    gateway method: String, _ pattern: String, body: Body, _ pool: Pool, rule: @escaping Rule<Void>.Maker
  ) {
    self.init(method, pattern, .gateway, body, .problem, pool, false, .gateway(rule))
  }

  /// What a caller shows: `Access` for routes with a credential.
  package enum CallerAccess: Sendable, Hashable {
    case session, sessionOrAlertKey
  }

  private init(
    _ method: String, _ pattern: String, _ access: Access, _ body: Body, _ errors: ErrorForm, _ pool: Pool,
    _ mayCarryAlert: Bool, _ handler: Handler
  ) {
    self.method = method
    self.pattern = pattern
    segments = Self.segments(of: pattern)
    self.access = access
    self.body = body
    self.errors = errors
    self.pool = pool
    self.mayCarryAlert = mayCarryAlert
    self.handler = handler
  }

  /// The same route, with an answer for when the store cannot be read.
  package func answering(withoutStore answer: @escaping @Sendable (Timestamp) -> ServerResponse) -> Self {
    var entry = self
    entry.withoutStore = answer
    return entry
  }

  /// The values of the braces if `path` matches the pattern; otherwise nil.
  func parameters(of path: [String]) -> [String]? {
    guard segments.count == path.count else { return nil }
    var values: [String] = []
    for (part, segment) in zip(segments, path) {
      if part.utf8.first == UInt8(ascii: "{") {
        values.append(segment)
      } else if part != segment {
        return nil
      }
    }
    return values
  }

  /// The parts between the slashes.
  static func segments(of path: String) -> [String] {
    path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map { String(Substring($0)) }
  }

  /// The longest body of the request: exchanges are long.
  var maximumBodyBytes: Int {
    let mayBeLong = body == .json && (access == .session || access == .sessionOrAlertKey)
    return mayBeLong ? SyncLimits.maximumBodyBytes : Self.smallBodyBytes
  }

  /// Throws if a body of this length is too long.
  func checkBody(ofBytes count: Int) throws(Problem) {
    let maximum = maximumBodyBytes
    guard count <= maximum else { throw Problem(.bodyTooLarge, "a body has at most \(maximum) bytes here") }
  }

  /// Throws if the body is too long or has another type.
  func checkBody(of request: ServerRequest) throws(Problem) {
    try checkBody(ofBytes: request.body.count)
    let mediaTypes = body.mediaTypes
    guard !mediaTypes.isEmpty, !request.body.isEmpty, !mediaTypes.contains(request.mediaType) else { return }
    throw Problem(.unsupportedMediaType, "send the body as \(mediaTypes.joined(separator: " or "))")
  }
}

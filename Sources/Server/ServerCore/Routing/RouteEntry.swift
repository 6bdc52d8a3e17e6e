/// One line of the route table: which requests it takes, who may make them, and what answers.
package struct RouteEntry: Sendable {
  package enum Access: Sendable, Hashable, CaseIterable {
    case anyone
    /// A session's access token.
    case session
    /// A session's access token or a device's alert key.
    case sessionOrAlertKey
  }

  /// The transaction in which the handler runs.
  package enum Storage: Sendable, Hashable {
    case read, write
  }

  /// Answers a request. A `Problem` or `StorageError` that it throws undoes its transaction; a problem that it *returns*
  /// (`ServerResponse.problem`) keeps what it wrote, such as a counted wrong code.
  package typealias Handler = @Sendable (inout RequestContext) throws -> ServerResponse

  package let method: String
  /// As in OpenAPI: `/v1/alerts/{id}`. A part in braces takes any one segment.
  package let pattern: String
  package let access: Access
  package let storage: Storage
  let handler: Handler

  package init(
    _ method: String, _ pattern: String, _ access: Access, _ storage: Storage, handler: @escaping Handler
  ) {
    self.method = method
    self.pattern = pattern
    self.access = access
    self.storage = storage
    self.handler = handler
  }

  /// The values of the braces where `path` has this pattern, otherwise nil.
  func parameters(of path: [Substring]) -> [String]? {
    let parts = pattern.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == path.count else { return nil }
    var values: [String] = []
    for (part, segment) in zip(parts, path) {
      if part.hasPrefix("{") {
        values.append(String(segment))
      } else if part != segment {
        return nil
      }
    }
    return values
  }
}

/// The error of an endpoint that a test used without setting it.
public struct Unimplemented: Error, Hashable, CustomStringConvertible {
  /// The endpoint, such as `AlertClient.activateAlert`.
  public let endpoint: String

  /// Makes the error for `endpoint`.
  public init(endpoint: String) {
    self.endpoint = endpoint
  }

  /// The text `Unimplemented:` and the endpoint.
  public var description: String {
    "Unimplemented: '\(endpoint)'"
  }
}

/// Serves as the body of an endpoint that a test must set: reports an issue with its name, and throws
/// ``Unimplemented``.
///
/// ```swift
/// static let testValue = AlertClient(activateAlert: { try unimplemented("AlertClient.activateAlert") })
/// ```
public func unimplemented<Value>(
  _ endpoint: String, fileID: StaticString = #fileID, line: UInt = #line, column: UInt = #column
) throws(Unimplemented) -> Value {
  reportUnimplemented(endpoint, at: CodeLocation(fileID: fileID, line: line, column: column))
  throw Unimplemented(endpoint: endpoint)
}

/// Serves as the body of an endpoint that a test must set and that cannot throw: reports an issue with its name, and
/// returns `placeholder`.
public func unimplemented<Value>(
  _ endpoint: String, placeholder: @autoclosure () -> Value, fileID: StaticString = #fileID, line: UInt = #line,
  column: UInt = #column
) -> Value {
  reportUnimplemented(endpoint, at: CodeLocation(fileID: fileID, line: line, column: column))
  return placeholder()
}

private func reportUnimplemented(_ endpoint: String, at location: CodeLocation) {
  IssueReporting.report(
    ReportedIssue("Unimplemented: '\(endpoint)' was used in a test that has not set it.", at: location))
}

/// Runs `operation` with other dependencies; those that `update` leaves alone stay as they are.
///
/// ```swift
/// let model = withDependencies {
///   $0.date = .constant(start)
/// } operation: {
///   Model()
/// }
/// ```
///
/// They hold for `operation` and the tasks that it makes, and for every ``Dependency`` made in it as long as that lives.
/// Throws what `update` or `operation` throws.
@discardableResult
public func withDependencies<Result>(
  _ update: (inout DependencyValues) throws -> Void,
  operation: () throws -> Result
) rethrows -> Result {
  var values = DependencyValues.current
  try update(&values)
  return try DependencyValues.$current.withValue(values, operation: operation)
}

/// Runs the asynchronous `operation` with other dependencies, on the caller's actor.
///
/// Throws what `update` or `operation` throws.
@discardableResult
public func withDependencies<Result>(
  isolation: isolated (any Actor)? = #isolation,
  _ update: (inout DependencyValues) throws -> Void,
  operation: () async throws -> Result
) async rethrows -> Result {
  var values = DependencyValues.current
  try update(&values)
  return try await DependencyValues.$current.withValue(values, operation: operation)
}

/// Runs `operation` with the current dependencies, as changed by `update`.
///
/// ```swift
/// let model = withDependencies {
///   $0.date = .constant(start)
/// } operation: {
///   Model()
/// }
/// ```
///
/// They apply to `operation` and the tasks that it makes, and to every ``Dependency`` that is initialized in it, for as
/// long as that exists. Throws what `update` or `operation` throws.
@discardableResult
public func withDependencies<Result>(
  _ update: (inout DependencyValues) throws -> Void,
  operation: () throws -> Result
) rethrows -> Result {
  var values = DependencyValues.current
  try update(&values)
  return try DependencyValues.$current.withValue(values, operation: operation)
}

/// Runs the asynchronous `operation` with the current dependencies, as changed by `update`, on the caller's actor.
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

/// What a call came to, as the payload of an action.
///
/// Two are equal where both succeeded alike or both failed alike. Values that are not `Equatable`, such as `Void`, are
/// alike where they are of one type and read the same; errors are compared likewise.
public enum TaskResult<Success: Sendable>: Sendable {
  /// It succeeded with this value.
  case success(Success)
  /// It failed with this error.
  case failure(any Error)

  /// What `body` comes to.
  public init(catching body: @Sendable () async throws -> Success) async {
    do {
      self = .success(try await body())
    } catch {
      self = .failure(error)
    }
  }

  /// The same as a `Result` of the standard library.
  public init<Failure: Error>(_ result: Result<Success, Failure>) {
    switch result {
    case .success(let value): self = .success(value)
    case .failure(let error): self = .failure(error)
    }
  }

  /// The value; throws the error where it failed.
  public var value: Success {
    get throws {
      switch self {
      case .success(let value): return value
      case .failure(let error): throw error
      }
    }
  }

  /// The same with another value where it succeeded.
  public func map<NewSuccess: Sendable>(_ transform: (Success) -> NewSuccess) -> TaskResult<NewSuccess> {
    switch self {
    case .success(let value): .success(transform(value))
    case .failure(let error): .failure(error)
    }
  }
}

extension TaskResult: Equatable {
  /// Whether both came to the same.
  public static func == (left: Self, right: Self) -> Bool {
    switch (left, right) {
    case (.success(let left), .success(let right)): areAlike(left, right)
    case (.failure(let left), .failure(let right)): areAlike(left, right)
    default: false
    }
  }
}

/// Equal where they are `Equatable` and of one type; else of one type and with one description.
private func areAlike(_ left: Any, _ right: Any) -> Bool {
  if let left = left as? any Equatable { return left.isEqual(to: right) }
  return type(of: left) == type(of: right) && String(describing: left) == String(describing: right)
}

extension Equatable {
  fileprivate func isEqual(to other: Any) -> Bool { other as? Self == self }
}

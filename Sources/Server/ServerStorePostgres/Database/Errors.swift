import Model
import PostgresKit
import ServerCore

extension StorageError {
  init(_ error: PostgresError) {
    let code: Code =
      switch error.kind {
      case .connectionLost, .timedOut: .unreachable
      case .conflict: .busy
      case .diskFull: .diskFull
      case .readOnly: .readOnly
      case .refused, .forbidden: .cannotOpen
      case .unreadableValue: .unreadableValue
      case .duplicate, .other: .internalError
      }
    self.init(code, error.message)
  }

  init(any error: any Error) {
    switch error {
    case let error as StorageError: self = error
    case let error as PostgresError: self.init(error)
    default: self.init(.internalError, "an unexpected error in the store")
    }
  }
}

/// Makes a value that was valid when it was stored.
func stored<Value>(
  _ column: StaticString, _ make: () throws(InvalidInput) -> Value
) throws(PostgresError) -> Value {
  do {
    return try make()
  } catch {
    throw PostgresError(.unreadableValue, "the column \(column) holds no value of its kind")
  }
}

/// A value that closures of one batch fill.
final class Box<Value> {
  var value: Value

  init(_ value: Value) { self.value = value }
}

/// The store could not do what was asked. The request is answered with 503 and may be tried again.
package struct StorageError: Error, Sendable, Hashable {
  package enum Code: Sendable, Hashable {
    case cannotOpen, diskFull, readOnly, inputOutput, damaged, newerSchema, networkFilesystem, busy, internalError
    /// The database is another machine's, or another program's, and does not answer.
    case unreachable
    /// The database file was removed, replaced, cut or emptied; or it is a PostgreSQL database that holds nothing of a server.
    case fileLost
    /// One stored value is none that the server writes. The database is whole otherwise, and goes on.
    case unreadableValue
  }

  /// Whether it is of the store as a whole, and the same work may succeed later.
  package var passes: Bool { [.diskFull, .readOnly, .inputOutput, .busy, .unreachable].contains(code) }

  package let code: Code
  /// One line for the operator; never a bound value.
  package let message: String

  /// The same with what an operator can do about it.
  package var advisedMessage: String {
    [.damaged, .fileLost].contains(code) ? message + "; see “lifesignal-server admin restore”" : message
  }

  package init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  /// `error` as one of the store, whatever it was.
  package init(wrapping error: any Error) {
    self = error as? StorageError ?? StorageError(.internalError, "an unexpected error: \(type(of: error))")
  }
}

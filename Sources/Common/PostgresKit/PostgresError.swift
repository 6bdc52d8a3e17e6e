/// What went wrong between this program and a PostgreSQL server.
@usableFromInline
package struct PostgresError: Error, Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    /// The connection is gone, or cannot be made. Whether a commit under way happened is unknown.
    case connectionLost
    /// The server did not answer in time. The connection was closed.
    case timedOut
    /// Another transaction was in the way: try again.
    case conflict
    /// A row with this key is there already.
    case duplicate
    case diskFull
    /// The server takes no writes: it is a standby, or its transactions are read-only.
    case readOnly
    /// The server refuses this user or this database.
    case refused
    /// This user may not do this.
    case forbidden
    /// A stored value is none that the program writes.
    case unreadableValue
    /// A mistake of the program, or damage.
    case other
  }

  package let kind: Kind
  /// As in <https://www.postgresql.org/docs/15/errcodes-appendix.html>; empty where the server did not say it.
  package let state: String
  /// One line for the operator; never a parameter or a stored value.
  package let message: String

  package init(_ kind: Kind, state: String = "", _ message: String) {
    self.kind = kind
    self.state = state
    self.message = message
  }

  /// Whether nothing further can be done on the connection.
  package var endsConnection: Bool {
    [.connectionLost, .timedOut, .readOnly].contains(kind) || Self.stale.contains(state)
  }

  /// A prepared statement that is gone, or was prepared for tables that changed: a new connection prepares it anew.
  private static let stale: Set = ["26000", "0A000"]

  @usableFromInline static func unreadableValue(of column: StaticString) -> PostgresError {
    PostgresError(.unreadableValue, "the column \(column) holds no value of its kind")
  }
}

extension PostgresError {
  /// - Parameters:
  ///   - state: five characters; the first two are its class.
  ///   - text: the server's message. It is repeated only in classes whose messages hold no values of rows.
  ///   - place: a constraint or a table; empty where there is none.
  init(state: String, text: String, place: String) {
    let kind = Kind(state: state)
    let saysNoValues = ["08", "25", "28", "3D", "40", "42", "53", "55", "57", "58", "XX"].contains(state.prefix(2))
    let detail = saysNoValues ? ": \(text)" : place.isEmpty ? "" : " in \(place)"
    self.init(kind, state: state, "PostgreSQL \(state)\(detail)")
  }
}

extension PostgresError.Kind {
  /// By the server's code.
  init(state: String) {
    switch state {
    case "23505": self = .duplicate
    case "53100": self = .diskFull
    case "25006": self = .readOnly
    case "42501": self = .forbidden
    // A deadlock, a row that changed meanwhile, a lock that was not free in time, a statement that took too long.
    case "40001", "40P01", "55P03", "57014": self = .conflict
    // The session was idle in a transaction for too long, and ended.
    case "25P03": self = .connectionLost
    default:
      switch state.prefix(2) {
      case "08", "57": self = .connectionLost
      case "28", "3D": self = .refused
      case "53": self = .conflict
      default: self = .other
      }
    }
  }
}

package import ServerCore

/// What every store of the server must do, whatever lies below it: each clause is a sentence and a trial that throws where the store
/// does otherwise.
///
/// ```swift
/// @Test(arguments: StoreContract.clauses) func `the embedded store keeps`(clause: StoreContract.Clause) throws {
///   try clause.run(on: EmbeddedStore())
/// }
/// ```
package enum StoreContract {
  package static let clauses: [Clause] =
    accountClauses + logClauses + deliveryClauses + pageClauses + askingClauses + inboxClauses
    + silenceClauses + retentionClauses + operatorClauses + signInClauses + codeClauses + readClauses
    + transactionClauses + raceClauses

  package struct Clause: Sendable, CustomStringConvertible {
    /// What a store does.
    package let sentence: String
    private let trial: @Sendable (Bench) throws -> Void

    init(_ sentence: String, _ trial: @escaping @Sendable (Bench) throws -> Void) {
      self.sentence = sentence
      self.trial = trial
    }

    package var description: String { sentence }

    /// Throws `Breach`, or what the store threw.
    /// - Parameter subject: A store that is empty.
    package func run(on subject: any StoreSubject) throws { try trial(Bench(subject)) }
  }

  /// What a store did otherwise.
  package struct Breach: Error, CustomStringConvertible {
    package let description: String
  }
}

/// A store on trial.
package protocol StoreSubject: AnyObject, Sendable {
  var store: any ServerStore { get }
  /// Opens what is durable anew, as after the death of the process.
  func reopen() throws
}

/// Throws unless `value` is `expected`.
func expect<Value: Equatable>(_ value: Value, is expected: Value, _ what: String) throws {
  guard value != expected else { return }
  throw StoreContract.Breach(description: "\(what): \(value) instead of \(expected)")
}

/// Throws unless `condition` holds.
func expect(_ condition: Bool, _ what: String) throws {
  guard condition else { throw StoreContract.Breach(description: what) }
}

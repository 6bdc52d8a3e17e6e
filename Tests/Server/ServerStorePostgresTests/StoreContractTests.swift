import ChildPrograms
import StoreContract
import Testing

@Suite(.blocking, .timeLimit(.minutes(10)))
struct StoreContractTests {
  @Test(arguments: StoreContract.clauses, PostgresSubject.Tables.allCases)
  func `the store on PostgreSQL`(clause: StoreContract.Clause, tables: PostgresSubject.Tables) throws {
    try clause.run(on: PostgresSubject(tables))
  }

  /// But for those that end the leases of the process before: those of another one that lives stay.
  private static let shared = StoreContract.clauses.filter { !$0.sentence.hasPrefix("ends all leases") }

  @Test(arguments: shared)
  func `two stores in turn on one database`(clause: StoreContract.Clause) throws {
    try clause.run(on: PostgresSubject(processes: 2))
  }
}

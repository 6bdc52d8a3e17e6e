import StoreContract
import Testing

@Suite(.timeLimit(.minutes(10)))
struct StoreContractTests {
  @Test(arguments: StoreContract.clauses, PostgresSubject.Tables.allCases)
  func `the store on PostgreSQL`(clause: StoreContract.Clause, tables: PostgresSubject.Tables) throws {
    try clause.run(on: PostgresSubject(tables))
  }

  @Test(arguments: StoreContract.clauses)
  func `two stores in turn on one database`(clause: StoreContract.Clause) throws {
    try clause.run(on: PostgresSubject(processes: 2))
  }
}

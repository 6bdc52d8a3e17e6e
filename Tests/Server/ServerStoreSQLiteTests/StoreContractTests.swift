import ChildPrograms
import StoreContract
import Testing

@Suite(.computing) struct `The store's contract` {
  @Test(arguments: StoreContract.clauses)
  func `the embedded store`(clause: StoreContract.Clause) throws {
    try clause.run(on: EmbeddedStore())
  }

  @Test func `has no duplicate clause`() {
    #expect(Set(StoreContract.clauses.map(\.sentence)).count == StoreContract.clauses.count)
  }
}

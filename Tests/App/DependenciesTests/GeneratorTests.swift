import Dependencies
import FoundationEssentials
import Testing

@Suite struct `Dates and identifiers` {
  @Test func `A constant date stays the same and can be set`() {
    var date = DateGenerator.constant(Date(timeIntervalSince1970: 5))
    #expect(date() == Date(timeIntervalSince1970: 5))
    #expect(date.now == date())
    date.now = Date(timeIntervalSince1970: 6)
    #expect(date() == Date(timeIntervalSince1970: 6))
  }

  @Test func `An unset date is an issue with its name and 1970`() {
    let reported = issues {
      #expect(DependencyValues(context: .test).date.now == Date(timeIntervalSince1970: 0))
    }
    #expect(reported.map(\.message) == [unset("DateGenerator (the dependency 'date')")])
  }

  @Test func `An unset identifier is an issue with its name and zeros`() {
    let reported = issues {
      #expect(DependencyValues(context: .test).uuid().uuidString == "00000000-0000-0000-0000-000000000000")
    }
    #expect(reported.map(\.message) == [unset("UUIDGenerator (the dependency 'uuid')")])
  }

  private func unset(_ endpoint: String) -> String {
    "Unimplemented: '\(endpoint)' was used in a test that has not set it."
  }

  @Test func `Incrementing identifiers count in hexadecimal, each generator for itself`() {
    let uuid = UUIDGenerator.incrementing
    let identifiers = (0..<257).map { _ in uuid().uuidString }
    #expect(identifiers[0] == "00000000-0000-0000-0000-000000000000")
    #expect(identifiers[10] == "00000000-0000-0000-0000-00000000000A")
    #expect(identifiers[256] == "00000000-0000-0000-0000-000000000100")
    #expect(UUIDGenerator.incrementing() == UUID(counting: 0))
  }

  @Test func `Incrementing identifiers never repeat, on any thread`() async {
    let uuid = UUIDGenerator.incrementing
    let all = await withTaskGroup(of: UUID.self) { group in
      for _ in 0..<1000 { group.addTask { uuid() } }
      return await group.reduce(into: Set()) { $0.insert($1) }
    }
    #expect(all.count == 1000)
  }

  @Test func `The live generators make new identifiers and the current date`() {
    let values = DependencyValues()
    #expect(values.uuid() != values.uuid())
    #expect(abs(values.date.now.timeIntervalSinceNow) < 60)
    #expect(UUIDGenerator.constant(UUID(counting: 3))() == UUID(counting: 3))
  }
}

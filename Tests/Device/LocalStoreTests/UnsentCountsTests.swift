import LocalStore
import Testing

@Suite struct `What waits` {
  @Test func `is counted by alert and contact`() {
    #expect(UnsentCounts().text == "nothing")
    #expect(UnsentCounts(alerts: 1).text == "1 alert")
    #expect(UnsentCounts(alerts: 2, contacts: 1).text == "2 alerts and 1 contact change")
    #expect(UnsentCounts(alerts: 1, contacts: 2, others: 1).text == "1 alert, 2 contact changes and 1 other change")
  }
}

import Testing

@testable import Simulator

@Suite struct `The oracle` {
  @Test func `finds nothing wrong where nothing happened`() {
    #expect(Oracle().violations.isEmpty)
  }
}

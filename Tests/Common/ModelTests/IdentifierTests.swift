import Model
import Testing

@Suite struct `Identifiers` {
  @Test func `the canonical form survives a round trip`() throws {
    let text = "0193a4c1-7b2e-7c3d-9e4f-a1b2c3d4e5f6"
    let identifier = try #require(AlertID(text))
    #expect(identifier.description == text)
    #expect(AlertID(text.uppercased()) == identifier)
  }

  @Test(arguments: [
    "", "0193a4c1", "0193a4c17b2e7c3d9e4fa1b2c3d4e5f6", "0193a4c1-7b2e-7c3d-9e4f-a1b2c3d4e5fg",
    "0193a4c1-7b2e-7c3d-9e4f-a1b2c3d4e5f67", "0193a4c1-7b2e-7c3d-9e4fa-1b2c3d4e5f6",
    "{193a4c1-7b2e-7c3d-9e4f-a1b2c3d4e5f}",
  ])
  func `anything else is refused`(text: String) {
    #expect(AlertID(text) == nil)
  }

  @Test func `version seven carries the time, the version and the variant`() {
    let identifier = AlertID(
      versionSevenAt: Timestamp(milliseconds: 0x0193_A4C1_7B2E), random: (.max, .max))
    #expect(identifier.description == "0193a4c1-7b2e-7fff-bfff-ffffffffffff")
    let zero = AlertID(versionSevenAt: Timestamp(milliseconds: 0), random: (0, 0))
    #expect(zero.description == "00000000-0000-7000-8000-000000000000")
  }
}

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

  @Test(arguments: 0..<36) func `every digit is read and written at its place`(place: Int) {
    var text = Array("00000000-0000-0000-0000-000000000000".utf8)
    guard text[place] != UInt8(ascii: "-") else { return }
    for digit in "0123456789abcdef".utf8 {
      text[place] = digit
      let written = String(decoding: text, as: UTF8.self)
      #expect(AlertID(written)?.description == written)
    }
  }

  @Test(arguments: 0..<36) func `any other byte is refused at every place`(place: Int) {
    let text = Array("0193a4c1-7b2e-7c3d-9e4f-a1b2c3d4e5f6".utf8)
    let allowed = text[place] == UInt8(ascii: "-") ? "-" : "0123456789abcdefABCDEF"
    for byte in UInt8.min...UInt8.max where !allowed.utf8.contains(byte) {
      var changed = text
      changed[place] = byte
      #expect(changed.withUnsafeBufferPointer { AlertID(utf8: $0) } == nil)
    }
  }

  @Test func `version seven carries the time, the version and the variant`() {
    let identifier = AlertID(
      versionSevenAt: Timestamp(milliseconds: 0x0193_A4C1_7B2E), random: (.max, .max))
    #expect(identifier.description == "0193a4c1-7b2e-7fff-bfff-ffffffffffff")
    let zero = AlertID(versionSevenAt: Timestamp(milliseconds: 0), random: (0, 0))
    #expect(zero.description == "00000000-0000-7000-8000-000000000000")
  }
}

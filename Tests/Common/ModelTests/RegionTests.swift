import Foundation
import Model
import Testing

@Suite struct RegionTests {
  @Test(arguments: ["US", "us", "uS"]) func `a code has two letters`(code: String) {
    #expect(Region(code: code) == .unitedStates)
  }

  @Test(arguments: ["", "U", "USA", "U\0", "ÜS", "12", " US", "{A"]) func `anything else is refused`(code: String) {
    #expect(Region(code: code) == nil)
  }

  @Test func `it is encoded as its code`() throws {
    let data = try JSONEncoder().encode([Region.unitedStates])
    #expect(String(decoding: data, as: UTF8.self) == "[\"US\"]")
    #expect(try JSONDecoder().decode([Region].self, from: data) == [.unitedStates])
    #expect(throws: DecodingError.self) { try JSONDecoder().decode([Region].self, from: Data("[\"1\"]".utf8)) }
  }
}

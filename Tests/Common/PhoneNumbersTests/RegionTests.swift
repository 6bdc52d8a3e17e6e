import Model
import Testing

@testable import PhoneNumbers

/// These run through the real plug-in and libphonenumber.
@Suite struct RegionTests {
  @Test(arguments: [("US", 1), ("GB", 44), ("DE", 49), ("IN", 91)])
  func `regions have calling codes`(code: String, callingCode: Int) throws {
    #expect(PhoneNumber.callingCode(of: try #require(Region(code: code))) == callingCode)
  }

  @Test func `an unknown region has no calling code`() throws {
    #expect(PhoneNumber.callingCode(of: try #require(Region(code: "QQ"))) == nil)
  }

  @Test func `all regions are listed once, in order, each with a calling code`() {
    let regions = PhoneNumber.regions
    #expect(regions.count > 200)
    #expect(regions == Set(regions).sorted())
    #expect(regions.contains(.unitedStates))
    #expect(regions.allSatisfy { PhoneNumber.callingCode(of: $0) != nil })
  }
}

@Suite struct PossibleNumberTests {
  /// The first number is unassigned: only its length is valid.
  @Test(arguments: [
    ("1234567890", "US"), ("(202) 555-0123", "US"), ("+44 20 7946 0958", "US"), ("020 7946 0958", "GB"),
    ("030 901820", "DE"), ("+800 1234 5678", "US"),
  ])
  func `a number of the right length is possible`(text: String, region: String) throws {
    #expect(PhoneNumber.isPossible(text, region: try #require(Region(code: region))))
  }

  @Test(arguments: [
    "", "+", "abc", "123", "5550123", "123456789", "12345678901234", "+999123456789", "2025550123 ext. 7",
    "+12025550123\0", String(repeating: "2", count: 100_000),
  ])
  func `a number of another length is not possible`(text: String) {
    #expect(!PhoneNumber.isPossible(text, region: .unitedStates))
  }

  @Test func `without the library, 7 to 15 digits are possible`() {
    for text in ["1234567", "+1 (202) 555-0123", "123456789012345"] {
      #expect(PhoneNumber.isPossibleByShape(text))
    }
    for text in ["", "+", "123456", "1234567890123456", "1+2345678", "12345 x"] {
      #expect(!PhoneNumber.isPossibleByShape(text))
    }
  }
}

import Model
import PhoneNumbers
import Testing

/// These run through the real plug-in and libphonenumber.
@Suite struct PhoneNumberTests {
  @Test(arguments: [
    ("(202) 555-0123", "US", "+12025550123", "US"),
    ("202.555.0123", "US", "+12025550123", "US"),
    ("+1 202 555 0123", nil, "+12025550123", "US"),
    ("+44 20 7946 0958", "US", "+442079460958", "GB"),
    ("020 7946 0958", "GB", "+442079460958", "GB"),
    ("030 901820", "DE", "+4930901820", "DE"),
    ("٠٣٠ ٩٠١٨٢٠", "DE", "+4930901820", "DE"),
    ("+800 1234 5678", nil, "+80012345678", "001"),
  ])
  func `a number in any format is parsed`(text: String, region: String?, e164: String, home: String) throws {
    let number = try PhoneNumber.parse(text, region: region)
    #expect(number.e164 == e164)
    #expect(number.region == home)
  }

  @Test(arguments: [
    ("", "US"), ("hello", "US"), ("123", "US"), ("2025550124", nil), ("+12025550124 ext. 7", "US"),
    ("+1202555012345678", "US"), ("+999123456789", nil), ("+12025550123\0", "US"), ("2025550124", "QQ"),
    (String(repeating: "2", count: 100_000), "US"),
  ])
  func `an invalid number is refused, and the error does not repeat it`(text: String, region: String?) {
    #expect { try PhoneNumber.parse(text, region: region) } throws: { error in
      guard case PhoneNumberError.invalid(let invalid) = error else { return false }
      return invalid.code == .phoneNumber && (text.count < 5 || !invalid.message.contains(text))
    }
  }

  @Test(arguments: ["", "us", "U", "USA", "U\0", "ÜS", "12"]) func `a region is two capital letters`(region: String) {
    #expect(throws: PhoneNumberError.self) { try PhoneNumber.parse("+12025550123", region: region) }
  }

  @Test func `a number is formatted for reading`() throws {
    #expect(try PhoneNumber.parse("2025550123", region: "US").formatted() == "+1 202-555-0123")
  }

  @Test(arguments: [
    ("2", "US", "2"), ("2025550123", "US", "(202) 555-0123"), ("202-555-01", "US", "(202) 555-01"),
    ("+442079460958", "US", "+44 20 7946 0958"), ("", "US", ""), ("abc", "US", ""),
  ])
  func `a number is formatted as it is typed`(text: String, region: String, formatted: String) throws {
    let region = try #require(Region(code: region))
    #expect(try PhoneNumber.formattedAsTyped(text, region: region) == formatted)
  }

  @Test func `many threads may parse at once`() async throws {
    try await withThrowingTaskGroup(of: String.self) { group in
      for index in 0..<200 {
        group.addTask { try PhoneNumber.parse("20255501\(index % 90 + 10)", region: "US").e164 }
      }
      for try await number in group { #expect(number.hasPrefix("+120255501")) }
    }
  }

  @Test func `the errors tell a missing library from an invalid number`() {
    #expect(PhoneNumberError.unavailable("no such file").message.contains("cannot be checked"))
    #expect(PhoneNumberError.invalid(InvalidInput(.phoneNumber, "x")).message == "x")
  }
}

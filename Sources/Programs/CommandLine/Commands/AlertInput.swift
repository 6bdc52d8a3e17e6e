import Glibc
import Model

/// Reads the values of `alert activate` from the command line.
enum AlertInput {
  /// `LAT,LON` in degrees.
  static func location(_ text: String) throws(InvalidInput) -> Location {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false).map(trimmed)
    guard parts.count == 2, let latitude = degrees(parts[0]), let longitude = degrees(parts[1]) else {
      throw InvalidInput(.location, AccountTexts.invalidLocation)
    }
    return try Location(latitude: latitude, longitude: longitude)
  }

  /// A distance in meters, as in `8` or `12.5`; nil if it is none.
  static func meters(_ text: String) -> Double? {
    guard let meters = degrees(text), meters >= 0, meters <= 40_100_000 else { return nil }
    return meters
  }

  /// A whole number in `range`, for a value that is called `name`.
  static func integer(_ text: String, _ name: String, in range: ClosedRange<Int>) throws(Failure) -> Int {
    guard text.utf8.allSatisfy(\.isASCIIDigit), let number = Int(text),
      range.contains(number)
    else {
      throw Failure(.badData, "invalid_number", AccountTexts.invalidNumber(name, range))
    }
    return number
  }

  private static func trimmed(_ text: Substring) -> String {
    var text = text
    while text.first == " " { text.removeFirst() }
    while text.last == " " { text.removeLast() }
    return String(text)
  }

  /// Decimal degrees only: neither hexadecimal nor "nan", which Swift's own reading would take.
  private static func degrees(_ text: String) -> Double? {
    let allowed = Set("0123456789.-+".utf8)
    guard !text.isEmpty, text.utf8.count <= 40, text.utf8.allSatisfy(allowed.contains) else { return nil }
    return Double(text)
  }
}

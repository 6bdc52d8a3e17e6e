/// A point in time: integer milliseconds since 1970-01-01T00:00:00Z, without leap seconds.
///
/// The property that holds it documents whose clock it is. On the wire it is RFC 3339 in UTC with milliseconds,
/// `2026-11-21T16:20:00.000Z`.
public struct Timestamp: Hashable, Comparable, Sendable {
  /// Milliseconds since the epoch; negative before it.
  public var milliseconds: Int64

  /// The time `milliseconds` after 1970-01-01T00:00:00Z, or before it if negative.
  public init(milliseconds: Int64) {
    self.milliseconds = milliseconds
  }

  public static func < (left: Self, right: Self) -> Bool {
    left.milliseconds < right.milliseconds
  }

  /// The time `milliseconds` later, or earlier if negative. Saturates on overflow.
  public func advanced(byMilliseconds milliseconds: Int64) -> Self {
    let (sum, overflow) = self.milliseconds.addingReportingOverflow(milliseconds)
    guard overflow else { return Self(milliseconds: sum) }
    return Self(milliseconds: milliseconds > 0 ? .max : .min)
  }

  /// The milliseconds since `earlier`. Saturates on overflow.
  public func milliseconds(since earlier: Self) -> Int64 {
    let (difference, overflow) = milliseconds.subtractingReportingOverflow(earlier.milliseconds)
    guard overflow else { return difference }
    return milliseconds > earlier.milliseconds ? .max : .min
  }
}

/// The range of four-digit years in milliseconds: from 0000-01-01 to the end of 9999.
private let representable: ClosedRange<Int64> = -62_167_219_200_000...253_402_300_799_999

extension Timestamp: LosslessStringConvertible {
  /// RFC 3339 in UTC with milliseconds. Times outside the years 0000–9999 are clamped.
  public var description: String {
    let clamped = min(max(milliseconds, representable.lowerBound), representable.upperBound)
    let (days, rest) = clamped.flooredQuotientAndRemainder(dividingBy: 86_400_000)
    let date = CivilDate(daysSinceEpoch: days)
    return String(unsafeUninitializedCapacity: 24) { buffer in
      var writer = DigitWriter(buffer)
      writer.digits(date.year, 4, then: "-")
      writer.digits(date.month, 2, then: "-")
      writer.digits(date.day, 2, then: "T")
      writer.digits(rest / 3_600_000, 2, then: ":")
      writer.digits(rest / 60_000 % 60, 2, then: ":")
      writer.digits(rest / 1000 % 60, 2, then: ".")
      writer.digits(rest % 1000, 3, then: "Z")
      return writer.count
    }
  }

  /// Parses RFC 3339 §5.6 with any offset and any number of fraction digits (cut to milliseconds). Nil for other text, and
  /// for times outside the years 0000–9999 of UTC.
  ///
  /// A leap second (`:60`) is read as the following second.
  public init?(_ description: String) {
    var text = description
    guard let timestamp = text.withUTF8({ Self(utf8: $0) }) else { return nil }
    self = timestamp
  }

  /// Parses RFC 3339 from UTF-8 bytes.
  package init?(utf8 bytes: UnsafeBufferPointer<UInt8>) {
    var reader = DigitReader(bytes)
    guard
      let year = reader.digits(4), reader.skip("-"), let month = reader.digits(2), reader.skip("-"),
      let day = reader.digits(2), reader.skip("T") || reader.skip("t") || reader.skip(" "),
      let hour = reader.digits(2), reader.skip(":"), let minute = reader.digits(2), reader.skip(":"),
      let second = reader.digits(2), let fraction = reader.fractionMilliseconds(),
      let offsetMinutes = reader.offsetMinutes(), reader.isAtEnd,
      hour < 24, minute < 60, second <= 60,
      let date = CivilDate(year: year, month: month, day: day)
    else { return nil }
    let seconds = date.daysSinceEpoch * 86_400 + hour * 3600 + minute * 60 + second - offsetMinutes * 60
    // An offset can lead outside the years that can be written, and such a time would not survive a round trip.
    guard representable.contains(seconds * 1000 + fraction) else { return nil }
    self.init(milliseconds: seconds * 1000 + fraction)
  }
}

extension Timestamp: Codable {
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let timestamp = Self(try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "not an RFC 3339 time")
    }
    self = timestamp
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}

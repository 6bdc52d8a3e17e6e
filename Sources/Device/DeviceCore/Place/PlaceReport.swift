package import Model
import Wire

/// A place that a receiver of satellite signals found.
package struct FoundPlace: Hashable, Sendable {
  package let location: Location
  /// The radius in which it is, with a probability of 95 %; nil if unknown.
  package let accuracyMeters: Double?
}

/// Finds a place in what gpsd sends: a line of JSON for each report (https://gpsd.gitlab.io/gpsd/gpsd_json.html).
///
/// It takes bytes as they come. Whatever they are, it holds no more than one line, and stops at its limits.
package struct PlaceReport: Sendable {
  /// No report of gpsd is longer.
  static let longestLine = 10_240
  /// A second of reports has a few thousand bytes.
  static let longestAnswer = 1_048_576

  private var line: [UInt8] = []
  private var isLineTooLong = false
  private var taken = 0

  package init() {}

  /// Whether it takes no more.
  package var isFull: Bool { taken >= Self.longestAnswer }

  /// The place in the lines that `bytes` complete: the first one with an accuracy, otherwise the last one; nil if there is none.
  package mutating func take(_ bytes: some Sequence<UInt8>) -> FoundPlace? {
    var found: FoundPlace?
    for byte in bytes where !isFull {
      taken += 1
      guard byte == UInt8(ascii: "\n") else {
        isLineTooLong = isLineTooLong || line.count == Self.longestLine
        if !isLineTooLong { line.append(byte) }
        continue
      }
      defer {
        line.removeAll(keepingCapacity: true)
        isLineTooLong = false
      }
      guard !isLineTooLong, let place = Self.place(in: line) else { continue }
      found = place
      if place.accuracyMeters != nil { break }
    }
    return found
  }

  /// The place of a report `TPV` with a fix: mode 2 or 3. Nil for every other line.
  private static func place(in line: [UInt8]) -> FoundPlace? {
    guard let report = try? JSONDocument(line).root, (try? report.string("class")) == "TPV",
      let mode = try? report.integer("mode"), mode >= 2,
      let latitude = try? report.double("lat"), let longitude = try? report.double("lon"),
      let location = try? Location(latitude: latitude, longitude: longitude)
    else { return nil }
    return FoundPlace(location: location, accuracyMeters: accuracy(in: report))
  }

  /// The horizontal error, or where that is missing the greater one of its two parts.
  private static func accuracy(in report: JSONValue) -> Double? {
    if let error = usable(try? report.double("eph")) { return error }
    let parts = [usable(try? report.double("epx")), usable(try? report.double("epy"))].compactMap(\.self)
    return parts.max()
  }

  /// The circumference of the Earth, in meters: a greater error says nothing.
  private static let greatestError = 40_100_000.0

  private static func usable(_ error: Double?) -> Double? {
    error.flatMap { $0.isFinite && $0 >= 0 && $0 <= greatestError ? $0 : nil }
  }
}

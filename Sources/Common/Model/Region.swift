/// A dialing region, by its ISO 3166-1 alpha-2 code.
///
/// ```swift
/// let region = Region(code: "GB") ?? .unitedStates
/// ```
///
/// Only the shape of the code is validated, not that the region exists.
public struct Region: Hashable, Sendable, Identifiable {
  /// Two capital letters, as in `US`.
  public let code: String

  /// The code.
  public var id: String { code }

  /// The United States of America.
  public static let unitedStates = Region(checked: "US")

  private init(checked code: String) {
    self.code = code
  }

  /// The region of a two-letter code in either case; nil for other text.
  public init?(code: String) {
    let letters = Array(code.utf8)
    guard letters.count == 2, letters.allSatisfy({ (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0 | 0x20) }) else {
      return nil
    }
    self.init(checked: code.uppercased())
  }
}

extension Region: Comparable {
  /// By code.
  public static func < (left: Self, right: Self) -> Bool {
    left.code < right.code
  }
}

extension Region: Codable {
  /// Decodes the code. Throws if it is not two letters.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let region = Self(code: try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a region's code of two letters")
    }
    self = region
  }

  /// Writes the code.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(code)
  }
}

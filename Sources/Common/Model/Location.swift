/// A point on Earth in WGS 84 degrees.
public struct Location: Hashable, Sendable, Codable {
  /// Degrees north, −90…90.
  public let latitude: Double
  /// Degrees east, −180…180.
  public let longitude: Double

  /// Throws `InvalidInput` unless both are finite numbers in range.
  public init(latitude: Double, longitude: Double) throws(InvalidInput) {
    guard latitude.isFinite, (-90...90).contains(latitude) else {
      throw InvalidInput(.location, "latitude must be a number from -90 to 90, as in 52.5200,13.4050")
    }
    guard longitude.isFinite, (-180...180).contains(longitude) else {
      throw InvalidInput(.location, "longitude must be a number from -180 to 180, as in 52.5200,13.4050")
    }
    self.latitude = latitude
    self.longitude = longitude
  }

  private enum CodingKeys: String, CodingKey { case latitude, longitude }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    try self.init(
      latitude: container.decode(Double.self, forKey: .latitude),
      longitude: container.decode(Double.self, forKey: .longitude)
    )
  }
}

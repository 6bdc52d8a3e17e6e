import PhoneNumbers

/// All the limits on sending one code.
struct CodeLimits {
  private static let hourMilliseconds: Int64 = 3_600_000
  private static let dayMilliseconds: Int64 = 86_400_000

  private let limits: [RateLimit]

  init(number: PhoneNumber, _ context: RequestContext) {
    let allowed = context.configuration.authentication
    func limit(_ scope: String, _ subject: String, _ count: Int, _ window: Int64) -> RateLimit {
      let key = context.keys.hash(Array("\(scope)\0\(window)\0\(subject)".utf8), for: .rateCount)
      return RateLimit(key: key, limit: count, windowMilliseconds: window)
    }
    let address = RemoteAddress.subject(context.request.remoteAddress)
    let country = number.region
    let perCountry = allowed.codesPerHourByCountry[country] ?? allowed.codesPerCountryAndHour
    limits = [
      limit("number", number.e164, allowed.codesPerNumberAndHour, Self.hourMilliseconds),
      limit("number", number.e164, allowed.codesPerNumberAndDay, Self.dayMilliseconds),
      limit("address", address, allowed.codesPerAddressAndHour, Self.hourMilliseconds),
      limit("country", country, perCountry, Self.hourMilliseconds),
      limit("total", "", allowed.codesInTotalPerHour, Self.hourMilliseconds),
    ]
  }

  /// How long until all of them allow one more; nil where they do now.
  func waitMilliseconds(_ context: RequestContext) throws(StorageError) -> Int64? {
    var longest: Int64?
    for limit in limits {
      guard let wait = try limit.waitMilliseconds(context.transaction, at: context.now) else { continue }
      longest = max(longest ?? wait, wait)
    }
    return longest
  }

  func count(_ context: RequestContext) throws(StorageError) {
    for limit in limits { try limit.count(context.transaction, at: context.now) }
  }
}

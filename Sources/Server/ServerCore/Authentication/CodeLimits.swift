import Model
import PhoneNumbers

/// All the limits on sending one code.
struct CodeLimits: Sendable {
  private static let hourMilliseconds: Int64 = 3_600_000
  private static let dayMilliseconds: Int64 = 86_400_000

  private let limits: [RateLimit]

  init(number: PhoneNumber, _ input: RouteInput) {
    let allowed = input.configuration.authentication
    func limit(_ scope: String, _ subject: String, _ count: Int, _ window: Int64) -> RateLimit {
      let key = input.keys.hash(Array("\(scope)\0\(window)\0\(subject)".utf8), for: .rateCount)
      return RateLimit(key: key, limit: count, windowMilliseconds: window)
    }
    let address = RemoteAddress.subject(input.request.remoteAddress)
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

  func needs(at now: Timestamp) -> Set<RateCountNeed> { Set(limits.map { $0.need(at: now) }) }

  /// How long until all of them allow one more; nil if they do now.
  func waitMilliseconds(_ facts: RequestFacts, at now: Timestamp) -> Int64? {
    limits.compactMap { $0.waitMilliseconds(facts.rateCounts[$0.need(at: now)] ?? [], at: now) }.max()
  }

  /// Counts one more in each.
  func steps(at now: Timestamp) -> [RateCountStep] { limits.map { $0.step(at: now) } }
}

import Model
import PhoneNumbers

/// All the limits on sending one code.
///
/// Whoever uses one up slows others down and does not lock them out: beyond a limit codes are still sent, one at a time. Only the codes of
/// one number in an hour have an end.
struct CodeLimits: Sendable {
  private static let hourMilliseconds: Int64 = 3_600_000
  private static let dayMilliseconds: Int64 = 86_400_000

  /// Each has to allow a code: by one of its limits.
  private let allowances: [[RateLimit]]

  init(number: PhoneNumber, _ input: RouteInput) {
    let allowed = input.configuration.authentication
    func limit(_ scope: String, _ subject: String, _ count: Int, _ window: Int64) -> RateLimit {
      let key = input.keys.hash(Array("\(scope)\0\(window)\0\(subject)".utf8), for: .rateCount)
      return RateLimit(key: key, limit: count, windowMilliseconds: window)
    }
    /// So many in any hour, or else one at a time, so that as many go out in the next hour.
    func hourly(_ scope: String, _ subject: String, _ count: Int) -> [RateLimit] {
      let inAnyHour = limit(scope, subject, count, Self.hourMilliseconds)
      return count > 0 ? [inAnyHour, limit(scope, subject, 1, Self.hourMilliseconds / Int64(count))] : [inAnyHour]
    }
    let address = input.request.remoteAddress, country = number.region
    let perCountry = allowed.codesPerHourByCountry[country] ?? allowed.codesPerCountryAndHour
    allowances = [
      [limit("number", number.e164, allowed.codesPerNumberAndHour, Self.hourMilliseconds)],
      [
        limit("number", number.e164, allowed.codesPerNumberAndDay, Self.dayMilliseconds),
        limit("number one by one", number.e164, 1, Self.hourMilliseconds),
      ],
      hourly("address", RemoteAddress.subject(address), allowed.codesPerAddressAndHour),
      hourly("network", RemoteAddress.network(address), allowed.codesPerNetworkAndHour),
      hourly("country", country, perCountry),
      hourly("total", "", allowed.codesInTotalPerHour),
    ]
  }

  private var limits: [RateLimit] { allowances.flatMap(\.self) }

  func needs(at now: Timestamp) -> Set<RateCountNeed> { Set(limits.map { $0.need(at: now) }) }

  /// How long until all of them allow one more; nil if they do now.
  func waitMilliseconds(_ facts: RequestFacts, at now: Timestamp) -> Int64? {
    allowances.compactMap { limits in Self.waitMilliseconds(limits, facts, at: now) }.max()
  }

  private static func waitMilliseconds(_ limits: [RateLimit], _ facts: RequestFacts, at now: Timestamp) -> Int64? {
    let waits = limits.compactMap { $0.waitMilliseconds(facts.rateCounts[$0.need(at: now)] ?? [], at: now) }
    return waits.count < limits.count ? nil : waits.min()
  }

  /// Counts one more in each.
  func steps(at now: Timestamp) -> [RateCountStep] { limits.map { $0.step(at: now) } }
}

import Model
import PhoneNumbers

/// All the limits on sending one code.
///
/// Beyond most of them codes still go out, one at a time, so that an attacker delays others but cannot shut them out: for as long as an
/// attack lasts, up to twice as many as the limit in an hour. A network has limits of its own, and little of what is left beyond them, so
/// that the attacker needs many networks.
struct CodeLimits: Sendable {
  private static let hourMilliseconds: Int64 = 3_600_000
  private static let dayMilliseconds: Int64 = 86_400_000

  /// Each has to allow a code.
  private let allowances: [Allowance]
  /// Counts when the operator lifted the limits on the number.
  private let lift: RateLimit

  /// What counts that the limits on one number are lifted: codes to it that were counted before count no more.
  static func lift(of phone: String, _ keys: ServerKeys) -> RateLimit {
    let key = keys.hash(Array("number, lifted\0\(phone)".utf8), for: .rateCount)
    // What is older than the longest of the limits counts no more in any case.
    return RateLimit(key: key, limit: 1, windowMilliseconds: dayMilliseconds)
  }

  init(number: PhoneNumber, _ input: RouteInput) {
    let allowed = input.configuration.authentication
    let address = input.request.remoteAddress, country = number.region
    let network = RemoteAddress.network(address), numberFromNetwork = "\(number.e164)\0\(network)"
    let perCountry = allowed.codesPerHourByCountry[country] ?? allowed.codesPerCountryAndHour
    let (hour, day) = (Self.hourMilliseconds, Self.dayMilliseconds)
    func limit(_ scope: String, _ subject: String, _ count: Int, in window: Int64) -> RateLimit {
      let key = input.keys.hash(Array("\(scope)\0\(window)\0\(subject)".utf8), for: .rateCount)
      return RateLimit(key: key, limit: count, windowMilliseconds: window)
    }
    func upTo(
      _ scope: String, _ subject: String, _ count: Int, in window: Int64, orOneIn pause: Int64? = nil,
      ofNumber isOfNumber: Bool = false
    ) -> Allowance {
      // With a limit of none there is nothing beyond it.
      let single = pause.flatMap { count > 0 ? limit("\(scope), one at a time", subject, 1, in: $0) : nil }
      return Allowance(burst: limit(scope, subject, count, in: window), single: single, isOfNumber: isOfNumber)
    }
    func share(_ count: Int) -> Int64 { hour / Int64(max(1, count)) }
    lift = Self.lift(of: number.e164, input.keys)
    allowances = [
      upTo("number", number.e164, allowed.codesPerNumberAndHour, in: hour, ofNumber: true),
      upTo("number", number.e164, allowed.codesPerNumberAndDay, in: day, orOneIn: hour, ofNumber: true),
      upTo("number from network", numberFromNetwork, allowed.codesPerNumberNetworkAndHour, in: hour, ofNumber: true),
      upTo(
        "number from network", numberFromNetwork, allowed.codesPerNumberNetworkAndDay, in: day, orOneIn: 4 * hour,
        ofNumber: true),
      upTo(
        "address", RemoteAddress.subject(address), allowed.codesPerAddressAndHour, in: hour,
        orOneIn: share(allowed.codesPerAddressAndHour)),
      // A tenth of its limit goes on.
      upTo(
        "network", network, allowed.codesPerNetworkAndHour, in: hour,
        orOneIn: 10 * share(allowed.codesPerNetworkAndHour)),
      upTo("country", country, perCountry, in: hour, orOneIn: share(perCountry)),
      upTo("total", "", allowed.codesInTotalPerHour, in: hour, orOneIn: share(allowed.codesInTotalPerHour)),
    ]
  }

  private var limits: [RateLimit] { allowances.flatMap(\.limits) }

  func needs(at now: Timestamp) -> Set<RateCountNeed> { Set((limits + [lift]).map { $0.need(at: now) }) }

  /// How long until all of them allow one more; nil if they do now.
  func waitMilliseconds(_ facts: RequestFacts, at now: Timestamp) -> Int64? {
    let liftedAt = facts.rateCounts[lift.need(at: now)]?.last?.start
    return allowances.compactMap { allowance in
      allowance.waitMilliseconds(facts, at: now, since: allowance.isOfNumber ? liftedAt : nil)
    }.max()
  }

  /// Counts one more in each.
  func steps(at now: Timestamp) -> [RateCountStep] { limits.map { $0.step(at: now) } }

  /// So many at once, and beyond that one at a time.
  private struct Allowance {
    let burst: RateLimit
    /// Nil: none beyond it.
    let single: RateLimit?
    /// Whether it is about one number alone.
    let isOfNumber: Bool

    var limits: [RateLimit] { [burst] + (single.map { [$0] } ?? []) }

    /// Until one of both allows one more.
    /// - Parameter time: what was counted before does not count; nil: all counts.
    func waitMilliseconds(_ facts: RequestFacts, at now: Timestamp, since time: Timestamp?) -> Int64? {
      let waits = limits.map { limit in
        let counts = (facts.rateCounts[limit.need(at: now)] ?? []).filter { count in
          time.map { count.start >= $0 } ?? true
        }
        return limit.waitMilliseconds(counts, at: now) ?? 0
      }
      let shortest = waits.min() ?? 0
      return shortest > 0 ? shortest : nil
    }
  }
}

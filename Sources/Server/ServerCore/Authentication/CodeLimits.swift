import Model
import PhoneNumbers
import Wire

/// All the limits on sending one code.
///
/// Beyond most of them codes still go out, one at a time, so that an attacker delays others but cannot shut them out: for as long as an
/// attack lasts, up to twice as many as the limit in an hour. A network has limits of its own, and little of what is left beyond them, so
/// that the attacker needs many networks. Beyond the limits of a number, a country and all, a proof of work gets ahead (`CodeWork`): such
/// codes have allowances of their own, and take nothing from those who show none.
struct CodeLimits: Sendable {
  private static let hourMilliseconds: Int64 = 3_600_000
  private static let dayMilliseconds: Int64 = 86_400_000

  /// Of the address, the network, and the number as it is asked for from that network. No proof of work helps beyond them.
  private let ofAsker: [Allowance]
  /// Of the number, wherever it is asked for.
  private let ofNumber: Extensible
  /// Of all who ask: those of the country, and all.
  private let ofAll: Extensible
  /// The first limit on the number, exact to the millisecond.
  private let hourOfNumber: RateLimit
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
    hourOfNumber = limit("number", number.e164, allowed.codesPerNumberAndHour, in: hour)
    let numberAllowances = [
      upTo("number", number.e164, allowed.codesPerNumberAndHour, in: hour, ofNumber: true),
      upTo("number", number.e164, allowed.codesPerNumberAndDay, in: day, orOneIn: hour, ofNumber: true),
    ]
    ofAsker = [
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
    ]
    let allAllowances = [
      upTo("country", country, perCountry, in: hour, orOneIn: share(perCountry)),
      upTo("total", "", allowed.codesInTotalPerHour, in: hour, orOneIn: share(allowed.codesInTotalPerHour)),
    ]
    // Where no codes go, work changes nothing.
    let isOpen = perCountry > 0 && allowed.codesInTotalPerHour > 0 && allowed.codesForWorkPerHour > 0
    func work(_ scope: String, _ subject: String, _ count: Int) -> CodeWork? {
      guard isOpen else { return nil }
      return CodeWork(allowance: limit(scope, subject, count, in: hour), zeroBits: allowed.codeWorkZeroBits)
    }
    ofNumber = Extensible(
      allowances: numberAllowances, work: work("number, for work", number.e164, allowed.codesForWorkPerNumberAndHour))
    ofAll = Extensible(allowances: allAllowances, work: work("for work", "", allowed.codesForWorkPerHour))
  }

  func needs(at now: Timestamp) -> Set<RateCountNeed> {
    let works = [ofNumber, ofAll].compactMap(\.work?.allowance)
    let limits = (ofAsker + ofNumber.allowances + ofAll.allowances).flatMap(\.limits) + [lift] + works
    return Set(limits.map { $0.need(at: now) })
  }

  /// Whether a code goes out now.
  /// - Parameters:
  ///   - proof: what the device shows; it is not looked at where the limits allow one more without it.
  ///   - phone: the number in E.164.
  func admission(of proof: WorkProof?, to phone: String, _ request: RequestWork) -> CodeAdmission {
    let now = request.now, facts = request.facts
    let allowances = ofAsker + ofNumber.allowances + ofAll.allowances
    guard let wait = waitMilliseconds(allowances, facts, at: now) else {
      return .admitted(steps(allowances, at: now), forWork: false)
    }
    let usedUp = [ofNumber, ofAll].filter { waitMilliseconds($0.allowances, facts, at: now) != nil }
    let within = [ofNumber, ofAll].filter { waitMilliseconds($0.allowances, facts, at: now) == nil }
    guard waitMilliseconds(ofAsker, facts, at: now) == nil, let zeroBits = zeroBits(usedUp, facts, at: now) else {
      return .refused(.limit(wait))
    }
    let challenges = CodeChallenge(phone: phone, latestCodeAt: latestCode(facts, at: now), now: now, keys: request.keys)
    guard let proof else { return .refused(.limit(wait, challenges.make(zeroBits: zeroBits))) }
    if let fault = challenges.fault(in: proof, zeroBits: zeroBits) {
      return .refused(.proof(fault, wait, challenges.make(zeroBits: zeroBits)))
    }
    return .admitted(
      steps(ofAsker + within.flatMap(\.allowances), at: now)
        + usedUp.compactMap { $0.work?.allowance.step(at: now) }, forWork: true)
  }

  /// The dearest work that these ask for; nil where one of them has none to be had.
  private func zeroBits(_ usedUp: [Extensible], _ facts: RequestFacts, at now: Timestamp) -> Int? {
    let bits = usedUp.compactMap { $0.work?.zeroBits(facts, at: now) }
    return bits.count == usedUp.count ? bits.max() : nil
  }

  /// When the last code went to the number, within an hour.
  private func latestCode(_ facts: RequestFacts, at now: Timestamp) -> Timestamp? {
    let limits = [hourOfNumber] + (ofNumber.work.map { [$0.allowance] } ?? [])
    return limits.compactMap { facts.rateCounts[$0.need(at: now)]?.last?.start }.max()
  }

  /// How long until all of them allow one more; nil if they do now.
  private func waitMilliseconds(_ allowances: [Allowance], _ facts: RequestFacts, at now: Timestamp) -> Int64? {
    let liftedAt = facts.rateCounts[lift.need(at: now)]?.last?.start
    return allowances.compactMap { allowance in
      allowance.waitMilliseconds(facts, at: now, since: allowance.isOfNumber ? liftedAt : nil)
    }.max()
  }

  /// Counts one more in each.
  private func steps(_ allowances: [Allowance], at now: Timestamp) -> [RateCountStep] {
    allowances.flatMap(\.limits).map { $0.step(at: now) }
  }

  /// Beyond these, work gets a few more.
  private struct Extensible {
    let allowances: [Allowance]
    /// Nil: no work is asked for.
    let work: CodeWork?
  }

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

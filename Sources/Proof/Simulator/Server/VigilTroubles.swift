import Model

/// What goes wrong in some vigils: the server dies and comes back, and a channel of a responder who has another takes no message for a while.
/// Nobody may be asked later for it than `AskingModel` says, but for `allowanceMilliseconds`.
struct VigilTroubles {
  struct Outage {
    var at: Int64
    var milliseconds: Int64
    var losesPower: Bool
  }

  private static let longestOutage: Int64 = 20_000
  private static let calmAllowance: Int64 = 10_000
  /// The longest outage, an attempt that ends with its timeout, and the attempt over another channel.
  private static let troubledAllowance: Int64 = 50_000

  private let responders: Responders
  private var random: SimulatedRandom
  private let areThere: Bool
  private var outages: [Outage] = []
  /// The URLs of channels that fail for a while.
  private(set) var failing: Set<String> = []

  init(world: World, responders: Responders) {
    self.responders = responders
    random = world.random("vigil's troubles")
    areThere = random.chance(0.5)
  }

  /// A message may take this long.
  var allowanceMilliseconds: Int64 { areThere ? Self.troubledAllowance : Self.calmAllowance }

  /// The next outage until `time`, once.
  mutating func nextOutage(until time: Int64) -> Outage? {
    guard let next = outages.first, next.at <= time else { return nil }
    return outages.removeFirst()
  }

  /// Until when to wait, so that what was asked at `time` has arrived; nil if it has.
  func pause(after time: Int64, at now: Int64) -> Int64? {
    areThere && now < time + allowanceMilliseconds ? time + allowanceMilliseconds : nil
  }

  /// Chooses them. `channels`: those of each responder that may fail.
  mutating func begin(_ channels: [[String]], in world: World, minutes: Int64) {
    guard areThere else { return }
    for _ in 0..<Int(random.number(0...3)) {
      outages.append(
        Outage(
          at: world.now + random.number(30_000...(minutes - 5) * 60_000),
          milliseconds: random.number(200...Self.longestOutage), losesPower: random.chance(0.3)))
    }
    outages.sort { $0.at < $1.at }
    for urls in channels where !urls.isEmpty && random.chance(0.6) {
      let url = random.one(of: urls), responders = responders
      failing.insert(url)
      // After the first messages: those go over all channels.
      let begin = random.number(40_000...1_200_000), length = random.number(60_000...2_400_000)
      let way = random.one(of: Responders.Failure.allCases)
      world.after(begin) { responders.failing[url] = way }
      world.after(begin + length) { responders.failing[url] = nil }
    }
  }
}

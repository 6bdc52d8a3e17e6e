/// The way between one device and the server, as good as it is at the moment.
struct Link {
  var isUp = true
  /// How likely a request is lost on its way.
  var loss = 0.0
  /// How likely an answer is lost after the server did what was asked.
  var lostAnswers = 0.0
  /// How likely something on the way sends a request twice, the second time up to two minutes later.
  var duplicates = 0.0
  /// One way.
  var latency: ClosedRange<Int64> = 5...80
  /// Something on the way that answers in the server's place.
  var stranger: Stranger?

  /// As it is when nothing is wrong.
  static let perfect = Link()

  /// A condition by chance: `harshness` 0…1 says how bad they come.
  static func random(_ random: inout SimulatedRandom, harshness: Double) -> Link {
    var link = Link()
    guard random.chance(harshness) else { return link }
    switch random.fraction() {
    case ..<0.25: link.isUp = false
    case ..<0.40: link.stranger = random.one(of: Stranger.allCases)
    default:
      link.loss = 0.3 * random.fraction()
      link.lostAnswers = 0.3 * random.fraction()
      link.duplicates = 0.2 * random.fraction()
      link.latency = random.one(of: [5...80, 50...400, 200...3000, 20...20_000])
    }
    return link
  }
}

extension Link: CustomStringConvertible {
  var description: String {
    guard isUp else { return "no connection" }
    if let stranger { return "a \(stranger.rawValue) in between" }
    return
      "loss \(percent(loss)), lost answers \(percent(lostAnswers)), duplicates \(percent(duplicates)), \(latency) ms"
  }

  private func percent(_ part: Double) -> String { "\(Int(part * 100)) %" }
}

/// The current quality of the link between one device and the server.
struct Link {
  var isUp = true
  /// The probability that a request is lost.
  var loss = 0.0
  /// The probability that an answer is lost after the server did the work, in addition to `loss`.
  var lostAnswers = 0.0
  /// The probability that a request is delivered twice, the second time up to two minutes later.
  var duplicates = 0.0
  /// One way.
  var latency: ClosedRange<Int64> = 5...80
  /// A device in between that answers in the server's place.
  var stranger: Stranger?

  /// Without faults.
  static let perfect = Link()

  /// A random condition. `harshness` 0…1 is the probability that it is bad.
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

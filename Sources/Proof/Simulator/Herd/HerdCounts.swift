/// The requests of each second, by kind and urgency.
struct HerdCounts {
  /// By second, kind and urgency. A request counts when it reaches the server's address, whether or not the server is up.
  private(set) var urgent: [[Int32]]
  private(set) var routine: [[Int32]]

  init(seconds: Int) {
    let none = [[Int32]](repeating: [Int32](repeating: 0, count: seconds), count: HerdRequest.Kind.allCases.count)
    urgent = none
    routine = none
  }

  mutating func count(_ request: HerdRequest, at now: Int64) {
    let second = Int(now / 1000)
    guard second < urgent[0].count else { return }
    if request.isUrgent {
      urgent[request.kind.rawValue][second] += 1
    } else {
      routine[request.kind.rawValue][second] += 1
    }
  }

  var total: Int { perSecond(0..<urgent[0].count).reduce(0, +) }

  func perSecond(_ seconds: Range<Int>) -> [Int] {
    seconds.map { second in urgent.reduce(0) { $0 + Int($1[second]) } + routine.reduce(0) { $0 + Int($1[second]) } }
  }

  func urgentPerSecond(_ seconds: Range<Int>) -> [Int] {
    seconds.map { second in urgent.reduce(0) { $0 + Int($1[second]) } }
  }

  /// The mean rate of one kind, in requests per second.
  func rate(_ kind: HerdRequest.Kind, _ seconds: Range<Int>) -> Double {
    let sum = seconds.reduce(0) { $0 + Int(urgent[kind.rawValue][$1]) + Int(routine[kind.rawValue][$1]) }
    return Double(sum) / Double(max(1, seconds.count))
  }
}

extension [Int] {
  var mean: Double { isEmpty ? 0 : Double(reduce(0, +)) / Double(count) }

  /// Averages over groups of neighbors.
  func smoothed(over width: Int) -> [Double] {
    guard count >= width else { return [] }
    var sum = prefix(width).reduce(0, +)
    var result = [Double(sum) / Double(width)]
    for index in width..<count {
      sum += self[index] - self[index - width]
      result.append(Double(sum) / Double(width))
    }
    return result
  }
}

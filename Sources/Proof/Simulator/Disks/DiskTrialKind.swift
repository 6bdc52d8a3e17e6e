/// The kinds of trials. A trial can be repeated by its kind, its number and the seed.
package enum DiskTrialKind: String, CaseIterable, Sendable {
  /// An operation fails, once or from then on; every other time the power is cut afterwards.
  case fault
  /// The power fails before an operation, or the process is killed.
  case cut
  /// Two hazards in a row: the power fails and then again, or then the disk fails; or the disk fails and then the power.
  case compound
}

extension DiskBench {
  /// All places at which a part of the script can be hurt: every part of two steps, with a log that each commit checkpoints and
  /// with one that grows; every operation of it, and the end.
  package func places() throws -> [DiskPlace] {
    var places: [DiskPlace] = []
    for first in -1..<Subject.steps.count {
      for pages in [1, 1000] {
        let count = min(first < 0 ? 3 : 2, Subject.steps.count - first)
        let trial = DiskTrial(firstStep: first, stepCount: count, checkpointPages: pages, hazards: [])
        for operation in 0...(try operationCount(trial)) {
          places.append(DiskPlace(trial: trial, operation: operation))
        }
      }
    }
    return places
  }
}

package struct DiskPlace: Hashable, Sendable {
  var trial: DiskTrial
  var operation: Int
}

extension DiskTrial {
  /// The trial with this number: goes through all places in turn, and makes its other choices by the seed. There are as many
  /// trials of the kind `fault` as faults and places, and unlimited ones of the others.
  package init(_ kind: DiskTrialKind, number: Int, seed: UInt64, places: [DiskPlace]) {
    var random = TrialRandom(seed: seed, kind: kind, number: number)
    let place = places[number % places.count]
    self = place.trial
    switch kind {
    case .fault:
      hazards = [.fault(DiskFault.all[number / places.count % DiskFault.all.count], at: place.operation)]
      if random.below(2) == 0 { cutsAfter = random.next() }
    case .cut:
      hazards = [random.below(16) == 0 ? .kill(at: place.operation) : .cut(at: place.operation, seed: random.next())]
    case .compound:
      let first = random.below(4)
      hazards = [
        first == 0 ? random.fault(at: place.operation) : .cut(at: place.operation, seed: random.next()),
        random.hazard(below: 24), random.below(2) == 0 ? .none : random.hazard(below: 24),
      ]
      if first == 0 || random.below(2) == 0 { cutsAfter = random.next() }
    }
  }
}

/// The choices of one trial.
struct TrialRandom {
  private var random: SimulatedRandom

  init(seed: UInt64, kind: DiskTrialKind, number: Int) {
    let kindNumber = DiskTrialKind.allCases.firstIndex(of: kind) ?? 0
    random = SimulatedRandom(seed: seed &* 0x9E37_79B9_7F4A_7C15 ^ UInt64(number) << 2 ^ UInt64(kindNumber))
    _ = next()
  }

  mutating func next() -> UInt64 { random.next() }

  mutating func below(_ limit: Int) -> Int { Int(next() % UInt64(limit)) }

  mutating func fault(at operation: Int) -> Hazard {
    .fault(DiskFault.all[below(DiskFault.all.count)], at: operation)
  }

  mutating func hazard(below limit: Int) -> Hazard {
    let operation = below(limit)
    switch below(5) {
    case 0, 1: return .cut(at: operation, seed: next())
    case 2: return .kill(at: operation)
    default: return fault(at: operation)
    }
  }
}

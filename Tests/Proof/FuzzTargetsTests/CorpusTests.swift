import ChildPrograms
import Foundation
import FuzzTargets
import TestSupport
import Testing

extension FuzzTarget: CustomTestStringConvertible {
  public var testDescription: String { name }
}

/// Runs the fuzzer's corpus in the ordinary tests: no crash, and no failed property.
///
/// A crash ends the whole test run. `tools/torture fuzz` does the real fuzzing, and says how to repeat a finding.
@Suite(.computing, .serialized) struct `The corpus` {
  /// The files in `Tests/Proof/Corpus/NAME`. Files named `crash-…` once caused a crash.
  private static func files(of target: FuzzTarget) throws -> [URL] {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Corpus/\(target.name)")
    return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
      .sorted { $0.lastPathComponent < $1.lastPathComponent }
  }

  private static func inputs(of target: FuzzTarget) throws -> [[UInt8]] {
    try files(of: target).map { [UInt8](try Data(contentsOf: $0)) }
  }

  @Test(arguments: FuzzTarget.all) func `and the seeds of each target crash nothing`(
    target: FuzzTarget
  ) throws {
    target.run([])
    for input in try Self.inputs(of: target) + target.seeds() { target.run(input) }
  }

  @Test(arguments: FuzzTarget.all) func `crashes nothing when changed at random`(target: FuzzTarget) throws {
    let inputs = try Self.inputs(of: target) + target.seeds()
    var mutator = Mutator(seed: 18)
    for _ in 0..<(target.isSlow ? 12 : 250) { target.run(mutator.mutated(of: inputs)) }
  }

  @Test(arguments: FuzzTarget.all) func `is small`(target: FuzzTarget) throws {
    let files = try Self.files(of: target)
    #expect((1...40).contains(files.count))
    #expect(try files.allSatisfy { try Data(contentsOf: $0).count <= 4096 })
  }
}

/// Changes inputs as a fuzzer does. The seed makes it repeatable.
struct Mutator {
  private var random: SeededRandom

  init(seed: UInt64) {
    random = SeededRandom(seed: seed)
  }

  /// Returns one of `inputs`, which must not be empty, with one to four changes; some insert a piece of another input.
  mutating func mutated(of inputs: [[UInt8]]) -> [UInt8] {
    var input = inputs[number(below: inputs.count)]
    for _ in 0...number(below: 4) { change(&input, other: inputs[number(below: inputs.count)]) }
    return input
  }

  private mutating func change(_ input: inout [UInt8], other: [UInt8]) {
    let place = number(below: input.count + 1)
    let range = place..<min(input.count, place + 1 + number(below: 8))
    switch number(below: 6) {
    case 0 where !range.isEmpty: input[place] ^= 1 << UInt8(number(below: 8))
    case 1 where !range.isEmpty: input[place] = UInt8(number(below: 256))
    case 2: input.insert(contentsOf: other.suffix(number(below: other.count + 1)).prefix(16), at: place)
    case 3: input.removeSubrange(range)
    case 4: input.insert(contentsOf: input[range], at: place)
    default: input.insert([0, 0x22, 0x5C, 0x7B, 0x80, 0xC3, 0xED, 0xFF][number(below: 8)], at: place)
    }
  }

  private mutating func number(below bound: Int) -> Int { Int(random.next() % UInt64(bound)) }
}

/// The events of a run, one line each, and a hash of them all: two runs of one seed have the same hash.
package struct Trace {
  /// FNV-1a over every line.
  package private(set) var hash = TraceHash()
  package private(set) var lineCount = 0
  /// The last lines, oldest first, or all of them.
  private var kept: [String] = []
  private var next = 0
  private let keepsAll: Bool
  private static let keptLines = 400

  init(keepsAll: Bool) {
    self.keepsAll = keepsAll
  }

  mutating func add(_ line: String) {
    hash.add(line)
    lineCount += 1
    if keepsAll || kept.count < Self.keptLines {
      kept.append(line)
    } else {
      kept[next] = line
      next = (next + 1) % Self.keptLines
    }
  }

  package var lines: [String] { keepsAll ? kept : Array(kept[next...] + kept[..<next]) }
}

/// 64-bit FNV-1a (Fowler, Noll, Vo).
package struct TraceHash: Hashable, Sendable {
  package private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

  mutating func add(_ text: String) {
    for byte in text.utf8 { value = (value ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
    value = (value ^ 10) &* 0x0000_0100_0000_01B3
  }

  package var text: String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}

/// The difference between two texts, line by line.
enum LineDifference {
  private struct Line {
    let mark: Character
    let text: String

    var isChanged: Bool { mark != " " }
    var indentation: Int { text.prefix { $0 == " " }.count }
  }

  /// Returns the difference, or nil if there is none. Lines that only `expected` has begin with −, lines that only
  /// `actual` has begin with +. Of the unchanged lines it shows those that enclose a change, and counts the others.
  static func text(expected: [String], actual: [String]) -> String? {
    let lines = merged(expected, actual)
    guard lines.contains(where: \.isChanged) else { return nil }
    return elided(lines, shown: shownIndices(lines)).joined(separator: "\n")
  }

  private static func merged(_ expected: [String], _ actual: [String]) -> [Line] {
    let difference = actual.difference(from: expected)
    let removed = Set(difference.removals.map(offset))
    let inserted = Set(difference.insertions.map(offset))
    var lines: [Line] = []
    var (old, new) = (0, 0)
    while old < expected.count || new < actual.count {
      if removed.contains(old) {
        lines.append(Line(mark: "−", text: expected[old]))
        old += 1
      } else if inserted.contains(new) {
        lines.append(Line(mark: "+", text: actual[new]))
        new += 1
      } else {
        lines.append(Line(mark: " ", text: actual[new]))
        old += 1
        new += 1
      }
    }
    return lines
  }

  private static func offset(_ change: CollectionDifference<String>.Change) -> Int {
    switch change {
    case .remove(let offset, _, _), .insert(let offset, _, _): offset
    }
  }

  /// The changed lines, and the lines that enclose them.
  private static func shownIndices(_ lines: [Line]) -> Set<Int> {
    var shown: Set<Int> = []
    for index in lines.indices where lines[index].isChanged {
      shown.insert(index)
      addEnclosing(index, Array((0..<index).reversed()), lines, to: &shown)
      addEnclosing(index, Array(lines.indices[(index + 1)...]), lines, to: &shown)
    }
    return shown
  }

  private static func addEnclosing(_ index: Int, _ others: [Int], _ lines: [Line], to shown: inout Set<Int>) {
    var indentation = lines[index].indentation
    for other in others where lines[other].indentation < indentation {
      indentation = lines[other].indentation
      shown.insert(other)
    }
  }

  private static func elided(_ lines: [Line], shown: Set<Int>) -> [String] {
    var result: [String] = []
    var index = 0
    while index < lines.count {
      if shown.contains(index) {
        result.append("\(lines[index].mark) \(lines[index].text)")
        index += 1
        continue
      }
      let start = index
      while index < lines.count, !shown.contains(index) { index += 1 }
      let indentation = String(repeating: " ", count: lines[start..<index].map(\.indentation).min() ?? 0)
      let count = index - start
      result.append("  \(indentation)… (\(count) unchanged)")
    }
    return result
  }
}

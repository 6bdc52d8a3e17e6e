/// Returns the candidate that is most similar to `word`, or nil if none is similar enough. The limit of the edit
/// distance is a third of the word's letters, at least 1 and at most 3. A candidate that starts with a word of at least
/// 3 letters has the distance 1.
package func closest(to word: String, among candidates: [String]) -> String? {
  let limit = min(3, max(1, word.count / 3))
  var best: (candidate: String, distance: Int)?
  for candidate in candidates {
    let distance = candidate.hasPrefix(word) && word.count > 2 ? 1 : editDistance(word, candidate)
    if distance <= limit, distance < best?.distance ?? .max { best = (candidate, distance) }
  }
  return best?.candidate
}

/// Computes the restricted Damerau–Levenshtein distance (optimal string alignment), which edits no letter twice. If a
/// word has more than 64 letters, it returns `Int.max`.
package func editDistance(_ left: String, _ right: String) -> Int {
  let left = Array(left), right = Array(right)
  guard left.count <= 64, right.count <= 64 else { return .max }
  var rows = [[Int]](repeating: [Int](repeating: 0, count: right.count + 1), count: left.count + 1)
  for column in 0...right.count { rows[0][column] = column }
  for row in 0...left.count { rows[row][0] = row }
  for row in 0..<left.count {
    for column in 0..<right.count {
      let cost = left[row] == right[column] ? 0 : 1
      var distance = min(rows[row][column + 1] + 1, rows[row + 1][column] + 1, rows[row][column] + cost)
      if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
        distance = min(distance, rows[row - 1][column - 1] + 1)
      }
      rows[row + 1][column + 1] = distance
    }
  }
  return rows[left.count][right.count]
}

extension StringProtocol {
  /// The longest beginning of whole characters whose lengths add up to at most `length`.
  func beginning(upTo length: Int, measure: (Character) -> Int) -> String {
    var total = 0
    return String(
      prefix { character in
        total += measure(character)
        return total <= length
      })
  }
}

import LifeSignalFeatures

/// Letters typed in sequence to find a region. A pause restarts the search.
package struct RegionSearch: Hashable, Sendable {
  /// The pause that restarts the search.
  static let pauseMilliseconds: Int64 = 2000

  package private(set) var text = ""
  private var lastKeyAt: Int64 = 0

  package init() {}

  package mutating func expire(at now: Int64) {
    if now - lastKeyAt > Self.pauseMilliseconds { text = "" }
  }

  package mutating func type(_ letter: Character, at now: Int64) {
    expire(at: now)
    text.append(letter)
    lastKeyAt = now
  }

  /// The first of `regions` whose name begins with what was typed, else one with a later word that does, else the one with that code.
  func found(in regions: [Region]) -> Region? {
    let typed = Self.folded(text)
    guard !typed.isEmpty else { return nil }
    let names = regions.map { (region: $0, name: Self.folded($0.name)) }
    let found = names.first { $0.name.hasPrefix(typed) } ?? names.first { $0.name.contains(" " + typed) }
    return found?.region ?? regions.first { $0.code == text.uppercased() }
  }

  /// Without accents, capitals and opening brackets, which hide the beginning of a word.
  private static func folded(_ text: String) -> String {
    String(ASCIIFolding.folded(text).filter { $0 != "(" }).lowercased()
  }
}

import Foundation
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
    guard !text.isEmpty else { return nil }
    func begins(_ name: Substring) -> Bool {
      name.range(of: text, options: [.anchored, .caseInsensitive, .diacriticInsensitive]) != nil
    }
    return regions.first { begins($0.localizedName[...]) }
      ?? regions.first { region in
        let name = region.localizedName
        return name.indices.contains { name[$0] == " " && begins(name[name.index(after: $0)...]) }
      } ?? regions.first { $0.code == text.uppercased() }
  }
}

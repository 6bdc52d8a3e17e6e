package import Model
package import Secrets

/// A stream of random bytes for one purpose, see `Entropy.stream(for:)`.
package typealias EntropyStream = Entropy

extension Entropy {
  /// A fresh id of version 7.
  package mutating func identifier<Subject>(at time: Timestamp) -> Identifier<Subject> {
    Identifier(versionSevenAt: time, random: words())
  }
}

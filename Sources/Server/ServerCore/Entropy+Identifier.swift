package import Model
package import Secrets

extension Entropy {
  /// A fresh id of version 7.
  package mutating func identifier<Subject>(at time: Timestamp) -> Identifier<Subject> {
    Identifier(versionSevenAt: time, random: words())
  }
}

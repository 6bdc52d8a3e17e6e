import SystemKit

/// How the command line is called, in what tells a person what to type.
package enum CommandName {
  private static let known = Lock("lifesignal")

  /// `lifesignal`, and the home that it was called with: without it, the command would be about another device.
  package static var text: String { known.withLock { $0 } }

  /// - Parameter home: the value of `--home`, quoted for a shell. To be set before anything is said.
  package static func set(home: String) {
    known.withLock { $0 = "lifesignal --home \(home)" }
  }
}

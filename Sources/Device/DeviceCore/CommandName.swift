import LocalStore
import SystemKit

/// How the command line is called, in what tells a person what to type.
package enum CommandName {
  private static let known = Lock("lifesignal")

  /// `lifesignal`, and the home that it was called with: without it, the command would be about another device.
  package static var text: String { known.withLock { $0 } }

  /// - Parameter home: the value of `--home`. To be set before anything is said.
  package static func set(home: String) {
    known.withLock { $0 = "lifesignal --home \(quoted(home))" }
  }

  /// Names the home that `option` says, for a program to which `lifesignal` always passes one: not where a command finds the same home
  /// without it.
  ///
  /// - Parameter variable: the value of an environment variable.
  package static func set(homeUnlessFound option: String?, variable: (String) -> String?) {
    guard let home = option, !home.isEmpty else { return }
    let found = try? HomeDirectory.resolve(option: nil, variable: variable)
    if found != HomeDirectory(path: home) { set(home: home) }
  }

  /// As one word of a shell's command line.
  package static func quoted(_ word: String) -> String {
    let isPlain = word.utf8.allSatisfy { byte in
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
        || (UInt8(ascii: "-")...UInt8(ascii: "9")).contains(byte)
        || byte == UInt8(ascii: "_")
    }
    guard !isPlain || word.isEmpty else { return word }
    return "'" + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
  }
}

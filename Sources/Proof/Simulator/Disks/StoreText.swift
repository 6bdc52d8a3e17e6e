import CFaultVFS
import Glibc

/// The whole content of a database file as text, for comparison.
enum StoreText {
  struct Unreadable: Error {
    let code: Int32
  }

  /// - Parameter ignoredKey: rows with this value in their first column are left out.
  static func of(_ path: String, ignoring ignoredKey: String?) throws(Unreadable) -> String {
    var code: Int32 = 0
    guard let text = lifesignal_fault_dump(path, nil, ignoredKey, &code) else { throw Unreadable(code: code) }
    defer { free(text) }
    return String(cString: text)
  }

  /// Whether the file passes SQLite's checks.
  static func isWhole(_ text: String) -> Bool { !text.hasPrefix("wrong:") }

  /// The lines that only one of the two has, at most `limit`.
  static func difference(_ found: String, from expected: String, limit: Int = 12) -> String {
    let found = found.split(separator: "\n")
    let expected = expected.split(separator: "\n")
    let lines =
      expected.filter { !found.contains($0) }.map { "  missing: \($0)" }
      + found.filter { !expected.contains($0) }.map { "  found:   \($0)" }
    return lines.prefix(limit).joined(separator: "\n")
  }
}

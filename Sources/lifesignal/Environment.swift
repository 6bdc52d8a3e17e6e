import Glibc

/// The environment variables, read one by one: copying them all would cost more than most commands do.
struct Environment: Sendable {
  subscript(name: String) -> String? { getenv(name).map { String(cString: $0) } }

  /// https://no-color.org: set and not empty; and a terminal that knows no styles.
  var refusesColor: Bool { !(self["NO_COLOR"] ?? "").isEmpty || self["TERM"] == "dumb" }

  /// Those that decide where the store lies.
  var forHome: [String: String] {
    var values: [String: String] = [:]
    for name in ["LIFESIGNAL_HOME", "XDG_DATA_HOME", "HOME"] { values[name] = self[name] }
    return values
  }
}

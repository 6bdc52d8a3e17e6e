import Glibc

/// The environment variables, read one by one: copying them all would cost more than most commands do.
struct Environment: Sendable {
  subscript(name: String) -> String? { getenv(name).map { String(cString: $0) } }

  /// https://no-color.org: set and not empty; and a terminal that knows no styles.
  var refusesColor: Bool { !(self["NO_COLOR"] ?? "").isEmpty || self["TERM"] == "dumb" }
}

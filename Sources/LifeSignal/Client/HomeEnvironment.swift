import Glibc

/// The variables that decide where a store lies.
func homeEnvironment() -> [String: String] {
  var values: [String: String] = [:]
  for name in ["LIFESIGNAL_HOME", "XDG_DATA_HOME", "HOME"] {
    if let value = getenv(name) { values[name] = String(cString: value) }
  }
  return values
}

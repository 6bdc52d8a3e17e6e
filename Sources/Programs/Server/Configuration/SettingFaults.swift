/// What is wrong with settings. They do not depend on each other, so that one fault hides no other.
struct SettingFaults {
  private(set) var all: [ServerFailure] = []

  /// Nil, and one more fault, where `read` throws.
  mutating func noting<Value>(_ read: @autoclosure () throws(ServerFailure) -> Value) -> Value? {
    do throws(ServerFailure) {
      return try read()
    } catch {
      all.append(error)
      return nil
    }
  }

  mutating func add(_ message: String) { add(ServerFailure(.data, message)) }

  mutating func add(_ fault: ServerFailure) { all.append(fault) }

  func throwFirst() throws(ServerFailure) {
    if let first = all.first { throw first }
  }
}

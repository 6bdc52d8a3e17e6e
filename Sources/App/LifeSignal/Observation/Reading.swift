/// What was read for a stream.
struct Reading<Value: Equatable & Sendable> {
  let value: Value
  /// Nothing can be followed: the stream ends after it.
  let isLast: Bool

  init(value: Value, isLast: Bool) {
    self.value = value
    self.isLast = isLast
  }

  init(_ value: Value) { self.init(value: value, isLast: false) }
}

/// Parses `text/event-stream` incrementally from chunks of any size (WHATWG HTML §9.2.6).
///
/// ```swift
/// var parser = EventStreamParser(maximumBytes: 64 << 10)
/// for item in try parser.append(bytes) { … }
/// ```
package struct EventStreamParser: Sendable {
  package enum Item: Sendable, Hashable {
    /// A complete event. Its name defaults to `message`.
    case event(name: String, data: String)
    /// A line that begins with a colon: a keep-alive.
    case comment
    /// The delay before reopening the stream after it ends.
    case retry(milliseconds: Int64)
  }

  /// A line, or an event's data, exceeds the maximum. The stream cannot continue.
  package struct TooLong: Error, Hashable {
    package init() {}
  }

  private let maximumBytes: Int
  private var line: [UInt8] = []
  private var name = ""
  private var data: [UInt8] = []
  private var hasData = false
  /// Whether the last byte was a carriage return, which a line feed may follow.
  private var isAfterReturn = false
  private var isAtStart = true

  package init(maximumBytes: Int) {
    self.maximumBytes = maximumBytes
  }

  package mutating func append(_ bytes: some Sequence<UInt8>) throws(TooLong) -> [Item] {
    var items: [Item] = []
    for byte in bytes {
      let isSecondHalf = isAfterReturn && byte == UInt8(ascii: "\n")
      isAfterReturn = byte == UInt8(ascii: "\r")
      if isSecondHalf { continue }
      if byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") {
        if let item = try endLine() { items.append(item) }
      } else {
        guard line.count < maximumBytes else { throw TooLong() }
        line.append(byte)
      }
    }
    return items
  }

  private mutating func endLine() throws(TooLong) -> Item? {
    defer { line.removeAll(keepingCapacity: true) }
    if isAtStart {
      isAtStart = false
      if line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
    }
    guard let first = line.first else { return endEvent() }
    guard first != UInt8(ascii: ":") else { return .comment }
    let end = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
    var value = line[end...].dropFirst()
    if value.first == UInt8(ascii: " ") { value.removeFirst() }
    let field = String(decoding: line[..<end], as: UTF8.self)
    if field == "retry" { return Self.retry(value) }
    try takeField(field, value)
    return nil
  }

  /// Accepts only digits. Saturates on overflow.
  private static func retry(_ value: ArraySlice<UInt8>) -> Item? {
    let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    guard !value.isEmpty, value.allSatisfy({ digits.contains($0) }) else { return nil }
    return .retry(milliseconds: Int64(String(decoding: value, as: UTF8.self)) ?? .max)
  }

  /// Ignores `id` and unknown fields.
  private mutating func takeField(_ field: String, _ value: ArraySlice<UInt8>) throws(TooLong) {
    if field == "event" { name = String(decoding: value, as: UTF8.self) }
    guard field == "data" else { return }
    guard data.count + value.count < maximumBytes else { throw TooLong() }
    if hasData { data.append(UInt8(ascii: "\n")) }
    data += value
    hasData = true
  }

  /// Ends the event; nil if it has no data.
  private mutating func endEvent() -> Item? {
    defer { (name, data, hasData) = ("", [], false) }
    guard hasData else { return nil }
    return .event(name: name.isEmpty ? "message" : name, data: String(decoding: data, as: UTF8.self))
  }
}

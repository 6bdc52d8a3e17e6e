/// Collects the header lines of one answer, including interim (1xx) answers and trailers.
struct ResponseHeaders {
  /// The limit for all lines together, including discarded ones.
  let maximumBytes: Int
  private(set) var head = CurlResponseHead(status: 0, headers: [:])
  private var byteCount = 0
  private var isComplete = false

  /// Whether all header lines of the final answer have arrived.
  var isAtEnd: Bool { isComplete && head.status >= 200 }

  init(maximumBytes: Int) {
    self.maximumBytes = maximumBytes
  }

  /// Adds one line with its line break; false if the limit is exceeded.
  mutating func append(_ line: some Collection<UInt8>) -> Bool {
    byteCount += line.count
    guard byteCount <= maximumBytes else { return false }
    let text = String(decoding: line, as: UTF8.self).trimmingSpaces()
    if text.hasPrefix("HTTP/") {
      // A new answer begins: the one before was an interim answer.
      head = CurlResponseHead(status: Self.status(text), headers: [:])
      isComplete = false
    } else if text.isEmpty {
      isComplete = true
    } else if !isComplete, let colon = text.firstIndex(of: ":") {
      insert(text[..<colon].lowercased(), String(text[text.index(after: colon)...]).trimmingSpaces())
    }
    return true
  }

  private mutating func insert(_ name: String, _ value: String) {
    if let earlier = head.headers[name] {
      head.headers[name] = earlier + ", " + value
    } else {
      head.headers[name] = value
    }
  }

  /// The status code, such as 200 for `HTTP/1.1 200 OK`; 0 if there is none.
  private static func status(_ line: String) -> Int {
    let parts = line.split(separator: " ", maxSplits: 2)
    return parts.count > 1 ? Int(parts[1]) ?? 0 : 0
  }
}

extension String {
  /// The text without leading and trailing spaces, tabs and line breaks.
  fileprivate func trimmingSpaces() -> String {
    let isSpace: (Unicode.Scalar) -> Bool = { $0 == " " || $0 == "\t" || $0 == "\r" || $0 == "\n" }
    guard let first = unicodeScalars.firstIndex(where: { !isSpace($0) }),
      let last = unicodeScalars.lastIndex(where: { !isSpace($0) })
    else { return "" }
    return String(unicodeScalars[first...last])
  }
}

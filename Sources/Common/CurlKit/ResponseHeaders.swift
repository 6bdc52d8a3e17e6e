/// The header lines of one answer, as they arrive, interim (1xx) answers and trailers among them.
struct ResponseHeaders {
  /// The limit for all lines together, those that are thrown away too.
  let maximumBytes: Int
  private(set) var head = CurlResponseHead(status: 0, headers: [:])
  private var byteCount = 0
  private var isComplete = false

  /// The final answer's header lines have all come.
  var isAtEnd: Bool { isComplete && head.status >= 200 }

  init(maximumBytes: Int) {
    self.maximumBytes = maximumBytes
  }

  /// Takes one line with its line break. False: they have become too many.
  mutating func append(_ line: some Collection<UInt8>) -> Bool {
    byteCount += line.count
    guard byteCount <= maximumBytes else { return false }
    let text = String(decoding: line, as: UTF8.self).trimmingSpaces()
    if text.hasPrefix("HTTP/") {
      // A new answer begins: what came before was an interim one.
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

  /// `HTTP/1.1 200 OK` is 200; 0 where there is no number.
  private static func status(_ line: String) -> Int {
    let parts = line.split(separator: " ", maxSplits: 2)
    return parts.count > 1 ? Int(parts[1]) ?? 0 : 0
  }
}

extension String {
  /// Without spaces, tabs and line breaks at either end.
  fileprivate func trimmingSpaces() -> String {
    let isSpace: (Unicode.Scalar) -> Bool = { $0 == " " || $0 == "\t" || $0 == "\r" || $0 == "\n" }
    guard let first = unicodeScalars.firstIndex(where: { !isSpace($0) }),
      let last = unicodeScalars.lastIndex(where: { !isSpace($0) })
    else { return "" }
    return String(unicodeScalars[first...last])
  }
}

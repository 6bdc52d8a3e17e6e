import PlantedBugs

/// A type that can be read from JSON: every body on the wire, on the receiving side.
///
/// ```swift
/// let answer = try SyncResponse(jsonBytes: bytes)
/// ```
package protocol JSONBody {
  /// Throws `JSONError.wrongShape` if a member is missing, has another type, or has a value that the domain does not know.
  init(json: JSONValue) throws(JSONError)
}

extension JSONBody {
  /// Reads a whole body.
  package init(jsonBytes: [UInt8]) throws(JSONError) {
    try self.init(json: JSONDocument(jsonBytes).root)
  }
}

extension JSONElements {
  /// Each element as a `Body`.
  func bodies<Body: JSONBody>(_ type: Body.Type = Body.self) throws(JSONError) -> [Body] {
    var bodies: [Body] = []
    for element in self { bodies.append(try Body(json: element)) }
    return bodies
  }
}

extension JSONElements {
  /// Each element that can be read as a `Body`. Elements that this version cannot read, for example from a newer server, are
  /// skipped.
  func readableBodies<Body: JSONBody>(_ type: Body.Type = Body.self) throws(JSONError) -> [Body] {
    if PlantedBug.unknownWordStopsAll.isPlanted { return try bodies() }
    var bodies: [Body] = []
    for element in self {
      if let body = try? Body(json: element) { bodies.append(body) }  // skipped for any error
    }
    return bodies
  }
}

extension JSONElements {
  /// Each element that is a word: lower-case ASCII letters, digits, `_` and `-`. Others are skipped.
  func readableWords() -> [String] {
    var words: [String] = []
    for element in self {
      // Skipped for any error.
      if let word = try? element.string(), (1...40).contains(word.utf8.count), word.utf8.allSatisfy(isOfWord) {
        words.append(word)
      }
    }
    return words
  }
}

private func isOfWord(_ byte: UInt8) -> Bool {
  switch byte {
  case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
  case UInt8(ascii: "_"), UInt8(ascii: "-"): true
  default: false
  }
}

extension JSONValue {
  /// A value of a closed list.
  func choice<Choice: RawRepresentable<String>>(_ name: StaticString) throws(JSONError) -> Choice {
    guard let choice = Choice(rawValue: try string(name)) else {
      throw JSONError(.wrongShape, "the member \(name) has an unknown value")
    }
    return choice
  }
}

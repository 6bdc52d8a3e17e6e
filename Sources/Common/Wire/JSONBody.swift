import PlantedBugs

/// What can be read from JSON: every body of the wire, on the side that receives it.
///
/// ```swift
/// let answer = try SyncResponse(jsonBytes: bytes)
/// ```
package protocol JSONBody {
  /// Throws `JSONError.wrongShape` where a member is missing or has another type, or holds what the domain does not know.
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
  /// Each element that can be read as a `Body`. A newer server may say things that this version does not know: they are passed
  /// over, and do not stop the rest.
  func readableBodies<Body: JSONBody>(_ type: Body.Type = Body.self) throws(JSONError) -> [Body] {
    if PlantedBug.unknownWordStopsAll.isPlanted { return try bodies() }
    var bodies: [Body] = []
    for element in self {
      if let body = try? Body(json: element) { bodies.append(body) }  // what is wrong with it makes no difference
    }
    return bodies
  }
}

extension JSONValue {
  /// A word of a closed list.
  func choice<Choice: RawRepresentable<String>>(_ name: StaticString) throws(JSONError) -> Choice {
    guard let choice = Choice(rawValue: try string(name)) else {
      throw JSONError(.wrongShape, "the member \(name) has an unknown value")
    }
    return choice
  }
}

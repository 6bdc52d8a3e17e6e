/// One value in a `JSONDocument`. Reading it as another type throws `JSONError.wrongShape`.
///
/// A null member counts as missing. Unread members are ignored. For duplicate names the first one counts.
package struct JSONValue: Sendable {
  let document: JSONDocument
  let index: Int

  private var token: JSONToken { document.tokens[index] }

  package var isObject: Bool { token.kind == .object }

  package func string() throws(JSONError) -> String {
    guard token.kind == .string else { throw JSONError(.wrongShape, "a text is wanted here") }
    return text
  }

  /// An integer without fraction or exponent, within 64 bits.
  /// A whole number in any form: `70`, `70.0`, `7e1`.
  package func integer() throws(JSONError) -> Int {
    guard token.kind == .number, let value = Int(text) ?? Self.whole(text) else {
      throw JSONError(.wrongShape, "a whole number is wanted here")
    }
    return value
  }

  /// Of a text with a fraction or an exponent, as far as a `Double` holds each whole number.
  private static func whole(_ text: String) -> Int? {
    guard let value = Double(text), value.magnitude < 0x1p53 else { return nil }
    return Int(exactly: value)
  }

  package func double() throws(JSONError) -> Double {
    guard token.kind == .number, let value = Double(text) else {
      throw JSONError(.wrongShape, "a number is wanted here")
    }
    return value
  }

  package func boolean() throws(JSONError) -> Bool {
    switch token.kind {
    case .yes: return true
    case .no: return false
    default: throw JSONError(.wrongShape, "true or false is wanted here")
    }
  }

  package func array() throws(JSONError) -> JSONElements {
    guard token.kind == .array else { throw JSONError(.wrongShape, "an array is wanted here") }
    return JSONElements(document: document, position: index + 1, end: Int(token.next))
  }

  /// This value as an object; throws if it is not one.
  package func object() throws(JSONError) -> JSONValue {
    guard isObject else { throw JSONError(.wrongShape, "an object is wanted here") }
    return self
  }

  /// The member `name` of an object; nil if it is missing or null. Throws if this is not an object.
  package func optional(_ name: StaticString) throws(JSONError) -> JSONValue? {
    let object = try object()
    guard let value = document.member(name, ofObjectAt: object.index), document.tokens[value].kind != .null else {
      return nil
    }
    return JSONValue(document: document, index: value)
  }

  /// The string member with a name that is known only at run time; nil if it is missing or null.
  package func optionalString(named name: String) throws(JSONError) -> String? {
    try member { JSONValue(document: document, index: $0).text == name }?.string()
  }

  /// The member of an object whose name, at its position among the tokens, is the one that is wanted.
  private func member(_ isWanted: (Int) -> Bool) throws(JSONError) -> JSONValue? {
    let object = try object()
    var position = object.index + 1
    let end = Int(object.token.next)
    while position < end {
      let value = Int(document.tokens[position].next)
      if isWanted(position) {
        return document.tokens[value].kind == .null ? nil : JSONValue(document: document, index: value)
      }
      position = Int(document.tokens[value].next)
    }
    return nil
  }

  /// The names of an object's members. Throws if this is not an object.
  package func names() throws(JSONError) -> [String] {
    var names: [String] = []
    _ = try member { position in
      names.append(JSONValue(document: document, index: position).text)
      return false
    }
    return names
  }

  /// The bytes of a number, or of a string without escapes.
  func withPlainBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result?) -> Result? {
    let token = token
    guard !token.isEscaped else { return nil }
    return document.bytes.withUnsafeBufferPointer { body(.init(rebasing: $0[Int(token.start)..<Int(token.end)])) }
  }

  var isString: Bool { token.kind == .string }

  fileprivate var text: String {
    let token = token
    return document.bytes.withUnsafeBufferPointer { bytes in
      let part = bytes[Int(token.start)..<Int(token.end)]
      return token.isEscaped
        ? JSONEscape.decoded(part) : String(decoding: UnsafeBufferPointer(rebasing: part), as: UTF8.self)
    }
  }
}

extension JSONDocument {
  /// The position among the tokens of the value of an object's member; nil if it has no such member.
  ///
  /// Reads the tokens in place: each member of each change is found by this.
  fileprivate func member(_ name: StaticString, ofObjectAt index: Int) -> Int? {
    tokens.withUnsafeBufferPointer { tokens in
      bytes.withUnsafeBufferPointer { bytes in
        let end = Int(tokens[index].next)
        var position = index + 1
        while position < end {
          let value = Int(tokens[position].next)
          if isName(tokens[position], at: position, name, bytes) { return value }
          position = Int(tokens[value].next)
        }
        return nil
      }
    }
  }

  @inline(__always)
  private func isName(
    _ token: JSONToken, at position: Int, _ name: StaticString, _ bytes: UnsafeBufferPointer<UInt8>
  ) -> Bool {
    guard !token.isEscaped else { return JSONValue(document: self, index: position).text == name.description }
    let length = Int(token.end - token.start)
    guard length == name.utf8CodeUnitCount else { return false }
    for offset in 0..<length where bytes[Int(token.start) + offset] != name.utf8Start[offset] { return false }
    return true
  }
}

/// The elements of an array, in order.
package struct JSONElements: Sequence, IteratorProtocol, Sendable {
  let document: JSONDocument
  var position: Int
  let end: Int

  package mutating func next() -> JSONValue? {
    guard position < end else { return nil }
    defer { position = Int(document.tokens[position].next) }
    return JSONValue(document: document, index: position)
  }
}

// Sanitizes untrusted text: what a device stores, and what a terminal may show.

extension Unicode.Scalar {
  /// Whether this is a control character: C0, DEL, C1, or a mark that changes the direction of text.
  package var isControl: Bool {
    value < 0x20 || (0x7F...0x9F).contains(value) || (0x202A...0x202E).contains(value)
      || (0x2066...0x2069).contains(value)
  }
}

extension String {
  /// The text as one line of at most 300 scalars, with a space for each control character.
  package var foreignLine: String {
    let scalars = unicodeScalars.prefix(300)
    guard scalars.endIndex < unicodeScalars.endIndex || scalars.contains(where: \.isControl) else { return self }
    var line = UnicodeScalarView()
    for scalar in scalars { line.append(scalar.isControl ? " " : scalar) }
    return String(line)
  }
}

extension JSONValue {
  /// A value that the server wants back unchanged, such as a cursor. Throws if it exceeds 1,000 bytes: requests that carry it
  /// could become too large to send.
  func opaque(_ name: StaticString) throws(JSONError) -> String {
    let text = try string(name)
    guard text.utf8.count <= 1000 else { throw JSONError(.wrongShape, "the member \(name) is too long") }
    return text
  }

  /// A secret for use in a header: printable ASCII without spaces.
  func token(_ name: StaticString) throws(JSONError) -> String {
    let text = try opaque(name)
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw JSONError(.wrongShape, "the member \(name) is not a token")
    }
    return text
  }
}

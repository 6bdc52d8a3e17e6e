// Text that others wrote: what a device keeps of it, and what a terminal may see.

extension Unicode.Scalar {
  /// Steers a terminal rather than showing something: C0, DEL, C1, and the marks that turn the direction of text around.
  package var isControl: Bool {
    value < 0x20 || (0x7F...0x9F).contains(value) || (0x202A...0x202E).contains(value)
      || (0x2066...0x2069).contains(value)
  }
}

extension String {
  /// A message from the network as one line of at most 300 scalars, with a blank for each control character.
  package var foreignLine: String {
    let scalars = unicodeScalars.prefix(300)
    guard scalars.endIndex < unicodeScalars.endIndex || scalars.contains(where: \.isControl) else { return self }
    var line = UnicodeScalarView()
    for scalar in scalars { line.append(scalar.isControl ? " " : scalar) }
    return String(line)
  }
}

extension JSONValue {
  /// What the server wants back as it is: a cursor, a name of its own. So long as to be no honest one's, it is refused: no
  /// request that held it would get through again.
  func opaque(_ name: StaticString) throws(JSONError) -> String {
    let text = try string(name)
    guard text.utf8.count <= 1000 else { throw JSONError(.wrongShape, "the member \(name) is too long") }
    return text
  }

  /// A secret that is to be shown in a header: printable ASCII without spaces.
  func token(_ name: StaticString) throws(JSONError) -> String {
    let text = try opaque(name)
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw JSONError(.wrongShape, "the member \(name) is not a token")
    }
    return text
  }
}

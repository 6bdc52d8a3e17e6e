extension String {
  /// Fit for a terminal: control characters, which could move its cursor or worse, become blanks. What comes from other
  /// devices and from servers is shown so.
  var printable: String {
    guard unicodeScalars.contains(where: Self.isControl) else { return self }
    var scalars = UnicodeScalarView()
    for scalar in unicodeScalars { scalars.append(Self.isControl(scalar) ? " " : scalar) }
    return String(scalars)
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    // C0, DEL, C1, and the marks that turn the direction of text around.
    scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) || (0x202A...0x202E).contains(scalar.value)
      || (0x2066...0x2069).contains(scalar.value)
  }
}

extension String {
  /// With a capital in front and a full stop behind.
  var asSentence: String {
    prefix(1).uppercased() + dropFirst() + (last.map { ".!?…".contains($0) } ?? true ? "" : ".")
  }
}

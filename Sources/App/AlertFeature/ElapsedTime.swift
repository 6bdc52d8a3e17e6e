/// A time that passed, to the second: `MM:SS`, from one hour `HH:MM:SS`.
struct ElapsedTime: CustomStringConvertible {
  private let seconds: Int

  /// Whole seconds of `seconds`, at least 0 and at most what 32 bits hold. Not a number is 0.
  init(seconds: Double) {
    self.seconds = seconds.isNaN ? 0 : Int(min(max(seconds, 0), Double(Int32.max)))
  }

  var description: String {
    let minutes = Self.twoDigits(seconds / 60 % 60) + ":" + Self.twoDigits(seconds % 60)
    return seconds < 3600 ? minutes : Self.twoDigits(seconds / 3600) + ":" + minutes
  }

  private static func twoDigits(_ number: Int) -> String {
    number < 10 ? "0\(number)" : "\(number)"
  }
}

extension Double {
  /// The nearest of 0…1; 0 where it is not a number.
  var asProgress: Double { isNaN ? 0 : Swift.min(Swift.max(self, 0), 1) }
}

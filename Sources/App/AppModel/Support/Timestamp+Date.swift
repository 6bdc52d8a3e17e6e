public import FoundationEssentials
public import Model

extension Timestamp {
  /// The same point in time as the features have it.
  public var date: Date { Date(timeIntervalSince1970: Double(milliseconds) / 1000) }

  /// `date` to the nearest millisecond. Saturates where the date is out of range; not-a-number is 1970.
  public init(_ date: Date) {
    let milliseconds = (date.timeIntervalSince1970 * 1000).rounded()
    guard !milliseconds.isNaN else {
      self.init(milliseconds: 0)
      return
    }
    self.init(milliseconds: Int64(exactly: milliseconds) ?? (milliseconds < 0 ? .min : .max))
  }
}

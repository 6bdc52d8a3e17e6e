/// A day of the proleptic Gregorian calendar.
///
/// Uses the standard conversion in eras of 400 years that start on March 1, so that the leap day is the last day of an era.
struct CivilDate: Equatable {
  var year: Int64
  var month: Int64
  var day: Int64

  /// The day `daysSinceEpoch` days after 1970-01-01.
  init(daysSinceEpoch: Int64) {
    let shifted = daysSinceEpoch + 719_468
    let (era, dayOfEra) = shifted.flooredQuotientAndRemainder(dividingBy: 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  }

  /// Nil for a day that does not exist, such as February 30.
  init?(year: Int64, month: Int64, day: Int64) {
    guard (1...12).contains(month), (1...31).contains(day) else { return nil }
    self.year = year
    self.month = month
    self.day = day
    guard CivilDate(daysSinceEpoch: daysSinceEpoch) == self else { return nil }
  }

  var daysSinceEpoch: Int64 {
    let marchYear = month <= 2 ? year - 1 : year
    let (era, yearOfEra) = marchYear.flooredQuotientAndRemainder(dividingBy: 400)
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }
}

extension Int64 {
  /// Division that rounds down, so that the remainder is never negative for a positive divisor.
  func flooredQuotientAndRemainder(dividingBy divisor: Int64) -> (quotient: Int64, remainder: Int64) {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}

public import Model
import PhoneNumbers

extension Region {
  /// All regions that have telephone numbers, sorted by their names in English.
  public static var all: [Region] {
    let known = Set(PhoneNumber.regions)
    let named = RegionNames.sorted.map(\.region).filter(known.contains)
    // A libphonenumber that is newer than the names may have more.
    return named + PhoneNumber.regions.filter { RegionNames.name(of: $0) == nil }
  }

  /// The name in English, as in `United States`; the code of a region that has no telephone numbers.
  ///
  /// `LifeSignalFoundation` has the names in other languages.
  public var name: String { RegionNames.name(of: self) ?? code }

  /// What is dialed before a number there, as in 1 for the United States; nil where that is not known.
  public var callingCode: Int? { PhoneNumber.callingCode(of: self) }
}

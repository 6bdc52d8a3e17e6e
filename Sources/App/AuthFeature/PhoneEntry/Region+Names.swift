public import Foundation
public import Model
import PhoneNumbers

extension Region {
  /// All regions that have telephone numbers, by their names in the person's language.
  public static var all: [Region] { all(in: .current) }

  /// All regions that have telephone numbers, by their names in the language of `locale`.
  public static func all(in locale: Locale) -> [Region] {
    PhoneNumber.regions
      .map { (region: $0, name: $0.localizedName(in: locale)) }
      .sorted { $0.name.compare($1.name, options: .caseInsensitive, locale: locale) == .orderedAscending }
      .map(\.region)
  }

  /// The name in the person's language, as in `United States`; the code where there is none.
  public var localizedName: String { localizedName(in: .current) }

  /// The name in the language of `locale`; the code where there is none.
  public func localizedName(in locale: Locale) -> String {
    locale.localizedString(forRegionCode: code) ?? code
  }

  /// What is dialled before a number there, as in 1 for the United States; nil where that is not known.
  public var callingCode: Int? { PhoneNumber.callingCode(of: self) }
}

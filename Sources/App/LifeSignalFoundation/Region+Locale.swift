import AuthFeature
public import Foundation
public import Model

extension Region {
  /// All regions that have telephone numbers, by their names in the language of `locale`.
  public static func all(in locale: Locale) -> [Region] {
    all
      .map { (region: $0, name: $0.name(in: locale)) }
      .sorted { $0.name.compare($1.name, options: .caseInsensitive, locale: locale) == .orderedAscending }
      .map(\.region)
  }

  /// The name in the language of `locale`; the code where there is none.
  public func name(in locale: Locale) -> String { locale.localizedString(forRegionCode: code) ?? code }
}

import Model

/// The person who raised an alert, as messages and pages name them.
struct PersonName: Sendable, Hashable {
  /// On one line, without marks that only change how text around it is shown; nil if they never told it.
  let name: String?
  /// E.164.
  let phone: String

  init(_ profile: Profile?, phone: String) {
    let name = profile?.name.visibleLine ?? ""
    self.name = name.isEmpty ? nil : name
    self.phone = phone
  }

  /// `Ana García (+12025550123)`; the number alone where there is no name. Plain text.
  var withNumber: String { name.map { "\(Self.isolated($0)) (\(phone))" } ?? phone }

  /// The name in at most `room` units of UTF-16, cut at a character; the number where there is no name. Plain text.
  func brief(upTo room: Int) -> String {
    guard let name else { return phone }
    let isolated = Self.isolated(name)
    guard isolated.utf16.count > room else { return isolated }
    let marks = isolated.utf16.count - name.utf16.count
    return Self.isolated(name.beginning(upTo: max(1, room - 1 - marks)) { $0.utf16.count } + "…")
  }

  /// In text that is written from left to right, a name of the other direction takes the digits and brackets behind it with it, unless it
  /// stands between FIRST STRONG ISOLATE and POP DIRECTIONAL ISOLATE (Unicode Standard Annex #9 §2.4).
  private static func isolated(_ name: String) -> String {
    name.unicodeScalars.contains(where: \.isFromRightToLeft) ? "\u{2068}\(name)\u{2069}" : name
  }
}

extension String {
  /// One line, with single spaces, and without marks that only change how text around it is shown.
  var visibleLine: String {
    let words = unicodeScalars.split { $0.properties.isWhitespace || $0.properties.generalCategory == .control }
    return words.map { String(String.UnicodeScalarView($0.filter { !$0.isInvisible })) }.filter { !$0.isEmpty }
      .joined(separator: " ")
  }
}

extension Unicode.Scalar {
  /// A format character, but for the two that join letters and emoji.
  fileprivate var isInvisible: Bool {
    properties.generalCategory == .format && value != 0x200C && value != 0x200D
  }

  /// Hebrew, Arabic and the other blocks of scripts that run from right to left.
  fileprivate var isFromRightToLeft: Bool {
    switch value {
    case 0x0590...0x08FF, 0xFB1D...0xFDFF, 0xFE70...0xFEFF, 0x10800...0x10FFF, 0x1E800...0x1EFFF: true
    default: false
    }
  }
}

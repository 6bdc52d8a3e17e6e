/// The room of one text message.
enum OneMessage {
  /// Whether the text is sent in one part: 160 characters of the GSM 7-bit default alphabet (3GPP TS 23.038 §6.2.1), or 70 units of UTF-16
  /// where it has any other.
  static func holds(_ text: String) -> Bool {
    var septets = 0
    for character in text.unicodeScalars {
      guard let length = septetCount(of: character) else { return text.utf16.count <= 70 }
      septets += length
    }
    return septets <= 160
  }

  /// Nil for a character that the alphabet does not have.
  private static func septetCount(of character: Unicode.Scalar) -> Int? {
    if extensionTable.contains(character) { return 2 }
    let isKnown = character.isASCII ? isBasic(character) : letters.contains(character)
    return isKnown ? 1 : nil
  }

  private static func isBasic(_ character: Unicode.Scalar) -> Bool {
    character == "\n" || character == "\r" || ((" "..."~").contains(character) && character != "`")
  }

  private static let extensionTable = Set("^{}\\[~]|€".unicodeScalars)
  private static let letters = Set("£¥èéùìòÇØøÅåΔΦΓΛΩΠΨΣΘΞÆæßÉ¤¡ÄÖÑÜ§¿äöñüà".unicodeScalars)
}

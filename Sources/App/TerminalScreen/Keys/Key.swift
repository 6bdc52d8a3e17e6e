/// A key as a terminal sends it.
package enum Key: Hashable, Sendable {
  /// A printing character, including the space.
  case character(Character)
  case enter, escape, tab, backTab, backspace, delete
  /// Ctrl-U.
  case clear
  /// The marks that a terminal puts around pasted text.
  case pasteBegan, pasteEnded
  /// The whole pasted text.
  case pasted(String)
  case up, down, left, right, pageUp, pageDown, home, end

  package static let space = Key.character(" ")
}

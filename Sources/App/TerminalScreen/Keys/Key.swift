/// A key as a terminal tells it.
package enum Key: Hashable, Sendable {
  /// Anything that writes something, the space among it.
  case character(Character)
  case enter, escape, tab, backTab, backspace, delete
  /// Ctrl-U.
  case clear
  /// What a terminal puts around what is pasted.
  case pasteBegan, pasteEnded
  /// All of what was pasted.
  case pasted(String)
  case up, down, left, right, pageUp, pageDown, home, end

  package static let space = Key.character(" ")
}

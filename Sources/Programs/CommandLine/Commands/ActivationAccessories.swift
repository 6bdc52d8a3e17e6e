import Arguments
import Model

/// What a person gave along with a call for help. Nothing that is wrong with it keeps the call back: it is told as it was given, as
/// far as there is room.
struct ActivationAccessories {
  private(set) var message: String?
  private(set) var location: Location?
  /// What could not be taken as it was given: a sentence each.
  private(set) var warnings: [String] = []

  private static let longestPlace = 200

  init(_ invocation: Invocation) {
    // An unquoted message is several words, of which the option has the first.
    let words = (invocation.values("message") + invocation.arguments).filter { !$0.isEmpty }
    let text = words.isEmpty ? nil : words.joined(separator: " ")
    let place = readPlaces(invocation.values("location"))
    let whole = [text, place].compactMap(\.self).joined(separator: "\n")
    message = AlertMessage.fitting(whole)
    do throws(InvalidInput) {
      _ = try AlertMessage.validated(whole)
      return
    } catch {
      warnings.append("The message was too long or no plain text. Your responders get as much of it as fits.")
    }
    guard let text, let place else { return }
    // The place goes with it whole: the words make room.
    let room = AlertMessage.maximumCharacters - place.count - 2
    message = AlertMessage.fitting(String((AlertMessage.fitting(text) ?? "").prefix(room)) + "…\n" + place)
  }

  /// Takes the first location that can be read. Gives the others as they were written, for the message.
  private mutating func readPlaces(_ texts: [String]) -> String? {
    var unread = ""
    for text in texts where !text.isEmpty {
      if location == nil, let read = try? AlertInput.location(text) {
        location = read
      } else {
        unread += (unread.isEmpty ? "" : "; ") + text
      }
    }
    if texts.contains("") { warnings.append("There is no location: nothing stands after --location.") }
    guard let written = AlertMessage.fitting(String(unread.prefix(Self.longestPlace))) else { return nil }
    warnings.append(
      location == nil
        ? "The location cannot be read. Your responders get it as you wrote it, in the message."
        : "There is more than one location. Your responders get the others in the message.")
    return "Location: \(written)"
  }
}

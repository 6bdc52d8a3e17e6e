import Arguments
import Model

/// What a person gave along with a call for help. Nothing that is wrong with it prevents the call: it is sent as it was given, as far
/// as there is room.
struct ActivationAccessories {
  private(set) var message: String?
  private(set) var location: Location?
  /// What could not be used as it was given: a sentence each.
  private(set) var warnings: [String] = []

  private static let longestPlace = 200

  init(_ invocation: Invocation) {
    // Without quotes, the option has only the first word of the message.
    let words = (invocation.values("message") + invocation.arguments).filter { !$0.isEmpty }
    let text = words.isEmpty ? nil : words.joined(separator: " ")
    let place = readPlaces(invocation.values("location"))
    let whole = [text, place].compactMap(\.self).joined(separator: "\n")
    message = AlertMessage.fitting(whole)
    do throws(InvalidInput) {
      _ = try AlertMessage.validated(whole)
      return
    } catch {
      warnings.append(AlertTexts.messageCut)
    }
    guard let text, let place else { return }
    // The location is kept whole: the message is cut to make room.
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
    if texts.contains("") { warnings.append(AlertTexts.locationMissing) }
    guard let written = AlertMessage.fitting(String(unread.prefix(Self.longestPlace))) else { return nil }
    warnings.append(
      location == nil
        ? AlertTexts.locationUnread : AlertTexts.locationRepeated)
    return "Location: \(written)"
  }
}

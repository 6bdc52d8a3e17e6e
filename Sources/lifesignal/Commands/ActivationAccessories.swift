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
    let text = invocation.value("message")
    let place = invocation.value("location").flatMap { readPlace($0) }
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

  /// The location as it was written, for the message, where it cannot be read.
  private mutating func readPlace(_ text: String) -> String? {
    do throws(InvalidInput) {
      location = try AlertInput.location(text)
      return nil
    } catch {
      guard let written = AlertMessage.fitting(String(text.prefix(Self.longestPlace))) else { return nil }
      warnings.append("The location cannot be read. Your responders get it as you wrote it, in the message.")
      return "Location: \(written)"
    }
  }
}

package import Model

/// The newest answer of a responder to an alert.
package struct StoredResponse: Sendable, Hashable {
  /// Longer text is cut, in characters.
  package static let maximumTextLength = InboxAnswer.maximumCharacters
  /// The same answer confirms an earlier one that is at least this old.
  static let confirmationMilliseconds: Int64 = 60_000

  package var account: AccountID
  package var alert: AlertID
  package var contact: ContactID
  package var answer: ResponderAnswer
  /// What they wrote beside it: one line.
  package var text: String?
  /// By the server's clock.
  package var at: Timestamp

  package init(
    account: AccountID, alert: AlertID, contact: ContactID, answer: ResponderAnswer, text: String?, at time: Timestamp
  ) {
    self.account = account
    self.alert = alert
    self.contact = contact
    self.answer = answer
    self.text = text
    at = time
  }

  /// `text` as one line of at most `maximumTextLength` characters, without marks that only change how text around it is shown; nil for
  /// an empty one.
  static func line(_ text: String) -> String? {
    let kept = text.visibleLine.prefix(maximumTextLength).beginning(upTo: 4 * maximumTextLength) { $0.utf8.count }
    return kept.isEmpty ? nil : kept
  }

  /// What the person in danger reads beside "is responding"; nil where it says no more than that.
  var words: String? {
    let place: String? =
      switch answer {
      case .onMyWay: "on the way"
      case .there: "there"
      case .responding, .handingOver, .cannot: nil
      }
    let words = [place, text.map { "“\($0)”" }].compactMap { $0 }
    return words.isEmpty ? nil : words.joined(separator: ": ")
  }

  /// Whether it says that they come, and is recent. One from before the clock was set back is not.
  func isFresh(at now: Timestamp) -> Bool {
    answer.acknowledges && (0..<AskingSchedule.checkMilliseconds).contains(now.milliseconds(since: at))
  }

  /// Whether somebody may count on it: it says that they come, and has not lapsed.
  func counts(at now: Timestamp) -> Bool {
    answer.acknowledges && now.milliseconds(since: at) < AskingSchedule.lapseMilliseconds
  }
}

/// A place that an update gave: when, by the device's clock, or when it was received if that clock is fast.
package struct TrackPoint: Sendable, Hashable {
  /// How many of one alert a page shows.
  package static let limit = 10

  package var at: Timestamp
  package var location: Location
  package var accuracyMeters: Double?

  package init(at time: Timestamp, location: Location, accuracyMeters: Double?) {
    at = time
    self.location = location
    self.accuracyMeters = accuracyMeters
  }
}

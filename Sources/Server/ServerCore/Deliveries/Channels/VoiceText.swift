import Model

/// Renders a message to a responder to be read aloud: short sentences, the most important first, and all of it twice. It has no link, no
/// punctuation that is read, and no time of day, whose zone nobody could follow.
struct VoiceText {
  private let message: DeliveryMessage

  init(_ message: DeliveryMessage) {
    self.message = message
  }

  var text: String {
    let words = sentences.joined(separator: " ")
    return "This is LifeSignal. \(words) Once more. \(words)"
  }

  private var sentences: [String] {
    let isDrill = message.alert.alert.isDrill
    let test = isDrill ? ["This is a drill, only a test. Nobody is in danger."] : []
    switch message.content {
    case .help:
      return test + (isDrill ? ["It is a drill of \(person)."] : ["\(person) needs help."]) + [since] + silence + said
        + answer
    case .check: return ["\(person) still needs help. Are you still responding?"] + answer
    case .relief: return ["\(message.whoIs) responding to the alert of this person: \(message.person.name ?? digits)."]
    case .safe: return test + [isDrill ? "The drill has ended." : "\(person) is safe now."]
    case .helpAndSafe:
      return test + [isDrill ? "The drill has ended." : "\(person) was in danger, and is safe now."]
    }
  }

  /// Digit by digit.
  private var person: String {
    guard let name = message.person.name else { return "The person with the number \(digits)" }
    return "\(name), with the number \(digits),"
  }

  private var digits: String { "plus \(message.phone.dropFirst().map(String.init).joined(separator: " "))" }

  private var since: String {
    guard let time = Self.duration(from: message.told.startedAt, to: message.now) else {
      return "The alert was raised just now."
    }
    return "The alert was raised \(time) ago."
  }

  private var silence: [String] {
    guard let since = message.noContactSince, let time = Self.duration(from: since, to: message.now) else { return [] }
    return ["There has been no contact with their device for \(time)."]
  }

  /// Nil for less than a minute.
  private static func duration(from start: Timestamp, to end: Timestamp) -> String? {
    let minutes = max(0, end.milliseconds(since: start) / 60_000)
    return switch minutes {
    case 0: nil
    case 1: "one minute"
    case 2..<120: "\(minutes) minutes"
    case 120..<2880: "\(minutes / 60) hours"
    default: "\(minutes / 1440) days"
    }
  }

  private var said: [String] {
    guard let said = message.alert.newestMessage else { return [] }
    let line = said.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    let isLong = line.count > Self.longestMessage
    return ["They say: \(line.prefix(Self.longestMessage))\(isLong ? ", and more" : "")."]
  }

  private static let longestMessage = 300

  /// Nobody can answer a call that is read by a machine.
  private var answer: [String] {
    guard message.hasWrittenChannel else {
      return message.alert.alert.isDrill ? [] : ["Please call them now."]
    }
    let what = message.alert.alert.isDrill ? "to confirm" : "to the place, and to answer"
    return ["You also got a written message, with a link \(what)."]
  }
}

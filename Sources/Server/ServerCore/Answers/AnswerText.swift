import Model

/// What a responder's text message says: the code, and whether they come.
struct AnswerText: Equatable {
  enum Choice: Equatable {
    case yes, no
  }

  /// Six digits; nil without them.
  var code: String?
  /// Nil for other words.
  var choice: Choice?

  init(_ text: String) {
    // Words without punctuation and emoji around them.
    choice = Self.choice(text.split { !$0.isLetter }.map { $0.lowercased() })
    let runs = text.split { $0.wholeNumberValue.map { !(0...9).contains($0) } ?? true }
      .map { $0.compactMap(\.wholeNumberValue).map(String.init).joined() }
    let length = AnswerCode.digitCount
    // As some people write it: in two groups.
    code = runs.first { $0.utf8.count == length } ?? (runs.joined().utf8.count == length ? runs.joined() : nil)
  }

  /// By the first word, in lower case: "I can't say yes" is no yes. "si" with others behind it is "if".
  private static func choice(_ words: [String]) -> Choice? {
    switch words.first {
    case "yes", "ja", "oui", "sí": .yes
    case "y" where words.count == 1, "si" where words.count == 1: .yes
    case "no", "nein", "non": .no
    case "n" where words.count == 1: .no
    default: nil
    }
  }
}

/// What answers a responder's text message: what happened, and what to do now.
package enum AnswerReply: String, Sendable, Hashable, CaseIterable {
  case coming
  case notComing = "not_coming"
  case drill
  case unconfirmedDrill = "unconfirmed_drill"
  case over
  /// To the code of an alert that is over or of a drill, while the person is in danger.
  case needsHelp = "needs_help"
  case unclear
  case noCode = "no_code"
  case wrongCode = "wrong_code"
  case useLink = "use_link"
  case tooMany = "too_many"

  /// - Parameters:
  ///   - phone: Of the person who raised the alert.
  ///   - code: Of the responder, for their next answer.
  func text(_ phone: String, _ code: String) -> String {
    switch self {
    case .coming: "Thank you. \(phone) is told that you are responding. If you can't come after all, answer NO \(code)"
    case .notComing: "Noted: you can't come. \(phone) is told. If you can after all, answer YES \(code)"
    case .drill: "Thank you. This was only a drill: nobody is in danger, and nobody needs to come."
    case .unconfirmedDrill:
      "This is only a drill: nobody is in danger. To confirm that you got it, answer YES \(code)"
    case .over: "\(phone) is safe: the alert has ended. Nobody needs to come any more."
    case .needsHelp:
      "\(phone) needs help NOW: your code is of an earlier alert or a drill. Answer the newest message to you, or call \(phone)."
    case .unclear:
      "Not understood, and nobody is told. Answer YES \(code) if you are responding, or NO \(code) if you can't."
    case .noCode:
      "Not understood, and nobody is told. Answer YES and the six digits at the end of the message to you, or open its link."
    case .wrongCode:
      "Wrong code, and nobody is told. Answer YES and the six digits at the end of the newest message, or open its link."
    case .useLink: "Nobody is told yet. Open the link in the message to you, and answer there."
    case .tooMany: "Too many wrong codes, and nobody is told. Open the link in the message to you, and answer there."
    }
  }
}

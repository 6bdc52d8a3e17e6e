import Wire

/// All words of the page in one language. `{name}` and the like are replaced by values.
struct PageTexts: Sendable {
  /// As in `lang` and `Content-Language`.
  var language: String

  // The headline
  var needsHelp: String  // {name}
  var isSafe: String  // {name}
  var isTesting: String  // {name}
  var drillEnded: String
  var drill: String
  /// On the page of an alert that is over, while another one is active.
  var activeBesideEnded: String
  /// On the page of a drill, while an alert is active.
  var activeBesideDrill: String
  var openActive: String
  var answerNewest: String

  // The facts
  var since: String  // {time} {duration}
  var received: String  // {time}
  var ended: String  // {time}
  var silent: String  // {time}
  var call: String  // {phone}
  var message: String
  var earlierMessages: String
  /// In their list, where it leaves some out.
  var moreMessages: String
  var place: String
  var map: String
  var age: String  // {duration}
  var accuracy: String  // {meters}
  var earlierPlaces: String
  var battery: String

  // The answer
  var yourAnswer: String
  var responding: String
  var cannot: String
  var onMyWay: String
  var there: String
  var handingOver: String
  var gotThis: String
  var textLabel: String
  var send: String
  var youAnswered: String  // {answer} {time}
  var quote: String  // {text}
  var personSeesIt: String
  var stillResponding: String
  var othersSeeIt: String
  var drillWorked: String
  var nobodyNeeded: String

  // The others
  var others: String
  var nobodyElse: String
  var willBeTold: String
  var wasTold: String  // {time}
  var opened: String  // {time}
  var acknowledged: String  // {time}
  var notReached: String
  /// Of a drill's message.
  var gotIt: String
  /// Of somebody else.
  var answers: Answers

  struct Answers: Sendable {
    var responding: String
    var onMyWay: String
    var there: String
    var handingOver: String
    var cannot: String
  }

  // What goes wrong
  var connectionLost: String
  var notConfirmed: String
  var unknownPage: String
  var gone: String
  var chooseAnswer: String
  var tooLong: String
  var tryAgain: String
  var cannotAnswerNow: String

  static let all: [PageTexts] = [.english, .german, .spanish, .french]

  /// The first of these languages that the header (RFC 9110 §12.5.4) prefers; English if none is in it.
  static func best(for header: String?) -> PageTexts {
    var best = (texts: english, weight: 0.0)
    for range in (header ?? "").prefix(1000).split(separator: ",") {
      let parts = range.split(separator: ";").map { $0.trimming() }
      guard let tag = parts.first?.lowercased().split(separator: "-").first,
        let texts = all.first(where: { $0.language == tag })
      else { continue }
      let quality = parts.dropFirst().first { $0.hasPrefix("q=") }
      let weight = quality.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
      if weight > best.weight { best = (texts, weight) }
    }
    return best.texts
  }

  /// What to tell somebody whose request failed.
  func text(of kind: Problem.Kind) -> String {
    switch kind {
    // Only links that open nothing are limited.
    case .notFound, .rateLimited: unknownPage
    case .gone: gone
    case .conflict: nobodyNeeded
    case .bodyTooLarge: tooLong
    case .malformedRequest, .unsupportedMediaType: chooseAnswer
    default: cannotAnswerNow
    }
  }
}

extension Substring {
  fileprivate func trimming() -> Substring {
    let start = drop { $0 == " " || $0 == "\t" }
    return start.prefix { $0 != " " && $0 != "\t" }
  }
}

/// What a responder says of an alert. The newest answer counts.
public enum ResponderAnswer: String, Hashable, Sendable, CaseIterable {
  /// They are responding.
  case responding
  /// They are on the way.
  case onMyWay = "on_my_way"
  /// They have reached the person.
  case there
  /// They responded, and somebody else takes over.
  case handingOver = "handing_over"
  /// They can't come.
  case cannot

  /// Whether it says that a person comes, or is there: then the alert is acknowledged.
  public var acknowledges: Bool {
    switch self {
    case .responding, .onMyWay, .there: true
    case .handingOver, .cannot: false
    }
  }

  /// What the receipts of the responder say, as their reason, after an answer with which nobody comes; nil for the others.
  package var receiptReason: String? {
    switch self {
    case .responding, .onMyWay, .there: nil
    case .handingOver: "they said that they are handing over"
    case .cannot: "they said that they can't come"
    }
  }
}

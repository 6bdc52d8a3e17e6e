/// What a responder says of an alert. The newest answer counts.
package enum ResponderAnswer: String, Hashable, Sendable, CaseIterable {
  case responding
  case onMyWay = "on_my_way"
  /// They have reached the person.
  case there
  /// They responded, and somebody else takes over.
  case handingOver = "handing_over"
  case cannot

  /// Whether it says that a person comes, or is there: then the alert is acknowledged.
  package var acknowledges: Bool {
    switch self {
    case .responding, .onMyWay, .there: true
    case .handingOver, .cannot: false
    }
  }
}

import Model
import Wire

/// The query of a list. Each function throws `malformedRequest` for a value of another form.
struct AlertsQuery {
  private let values: [String: String]

  init(_ values: [String: String]) {
    self.values = values
  }

  /// `true` or `false`; missing is false.
  func flag(_ name: String) throws(Problem) -> Bool {
    switch values[name] {
    case nil, "false": return false
    case "true": return true
    default: throw Problem(.malformedRequest, "\(name) must be true or false")
    }
  }

  func limit(default standard: Int, maximum: Int) throws(Problem) -> Int {
    guard let text = values["limit"] else { return standard }
    guard let limit = Int(text), (1...maximum).contains(limit) else {
      throw Problem(.malformedRequest, "limit must be a number from 1 to \(maximum)")
    }
    return limit
  }

  /// `before` in a list of one's own alerts.
  func ordinal() throws(Problem) -> Int64? {
    guard let text = values["before"] else { return nil }
    guard let ordinal = Int64(text), ordinal > 0 else { throw wrongBefore }
    return ordinal
  }

  /// `before` in a list over several accounts.
  func receivedPosition() throws(Problem) -> ReceivedPosition? {
    guard let text = values["before"] else { return nil }
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 2, let milliseconds = Int64(parts[0]), let id = AlertID(String(parts[1])) else {
      throw wrongBefore
    }
    return ReceivedPosition(receivedAt: Timestamp(milliseconds: milliseconds), id: id)
  }

  static func text(of position: ReceivedPosition) -> String { "\(position.receivedAt.milliseconds).\(position.id)" }

  private var wrongBefore: Problem { Problem(.malformedRequest, "before must be the next of an earlier answer") }
}

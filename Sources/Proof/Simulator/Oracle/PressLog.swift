import Model
import ServerCore

/// What the responders pressed on their pages, whether or not the server took it.
struct PressLog {
  enum Press: Hashable {
    /// They touched the page.
    case touch
    case answer(ResponderAnswer)
  }

  private var presses: [AlertContact: Set<Press>] = [:]

  mutating func note(_ press: Press, _ alert: AlertID, _ contact: ContactID) {
    presses[AlertContact(alert, contact), default: []].insert(press)
  }

  /// Whether they ever said that they come.
  func hasAcknowledged(_ alert: AlertID, _ contact: ContactID) -> Bool {
    presses[AlertContact(alert, contact), default: []].contains { press in
      if case .answer(let answer) = press { answer.acknowledges } else { false }
    }
  }

  func hasPressed(_ alert: AlertID, _ contact: ContactID) -> Bool {
    presses[AlertContact(alert, contact)] != nil
  }
}

/// Checks that nothing but a person's press made a message seen or acknowledged (I12).
struct PressChecks {
  let held: ServerView
  let presses: PressLog

  func run(now: Int64, _ findings: inout Findings) {
    for (alert, deliveries) in held.deliveries {
      for delivery in deliveries {
        let contact = delivery.target.contact
        let wasPressed =
          switch delivery.state {
          case .acknowledged: presses.hasAcknowledged(alert, contact)
          case .seen: presses.hasPressed(alert, contact)
          case .queued, .sent, .failed: true
          }
        guard !wasPressed else { continue }
        findings.add(
          .pressed, "contact \(contact) has “\(delivery.state.rawValue)” of alert \(alert), and pressed nothing",
          at: now)
      }
    }
  }
}

import Foundation
import LifeSignalFeatures

/// Prints the alert feature as lines, each once.
@MainActor
final class AlertView {
  private let store: StoreOf<AlertFeature>
  private var shown: [String] = []

  init(store: StoreOf<AlertFeature>) { self.store = store }

  /// Prints every change until the task is cancelled.
  func follow() async {
    for await state in Observations({ self.store.state }) { show(state) }
  }

  func show(_ state: AlertFeature.State) {
    let lines = Self.lines(state)
    for line in lines where !shown.contains(line) { print(line) }
    shown = lines
  }

  private static func lines(_ state: AlertFeature.State) -> [String] {
    var lines = [status(state)]
    if let dialog = state.confirmationAlert {
      lines.append("\(dialog.title): \(dialog.message?.text ?? "")")
    }
    if let error = state.error { lines.append("NOT DONE: \(error)") }
    guard let delivery = state.delivery else { return lines }
    if delivery.acceptedAt != nil { lines.append("accepted by the server") }
    for responder in delivery.responders + delivery.safeNotices {
      lines.append("\(responder.name): \(responder.state.rawValue) by \(responder.channel)")
    }
    return lines
  }

  private static func status(_ state: AlertFeature.State) -> String {
    if state.isAlertActive { return "THE ALERT IS ACTIVE, saved on this device. “end” and Enter ends it." }
    if state.activationProgress > 0 {
      let filled = Int(state.activationProgress * 20)
      return "[" + String(repeating: "#", count: filled) + String(repeating: ".", count: 20 - filled) + "]"
    }
    return state.alertEndTime == nil ? "Press Enter four times to raise an alert." : "The alert has ended."
  }
}

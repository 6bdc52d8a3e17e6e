import Model
import ServerCore

extension ServerContext {
  /// Counts what happened, and tells it in the log.
  /// - Parameter request: the id of the request that did it; nil of an attempt to deliver.
  func note(_ observations: [Observation], of request: String? = nil) {
    measurements.note(observations)
    for observation in observations {
      if observation == .codeWithheld {
        log("a code was not sent: its number is blocked", .notice, ["request": request ?? ""])
      }
      guard let (message, alert) = observation.line else { continue }
      if let request {
        log(message, .info, ["alert": alert, "request": request])
      } else {
        log(message, .info, ["alert": alert])
      }
    }
  }
}

extension ServerContext {
  /// Counts what became of codes and replies, and tells it in the log.
  func note(_ notes: [CodeNote]) {
    guard !notes.isEmpty else { return }
    measurements.note(notes, at: moment().now)
    for note in notes {
      let isFailure = note.result == .retried || note.result == .failed
      log(note.description, isFailure ? .warning : .notice)
    }
  }
}

extension Observation {
  /// With the alert; nil of what the delivery loop tells itself.
  fileprivate var line: (message: String, alert: String)? {
    switch self {
    case .raised(let alert, let isDrill): (isDrill ? "a drill was accepted" : "an alert was accepted", "\(alert)")
    case .ended(let alert): ("an alert was ended", "\(alert)")
    case .acknowledged(let alert, _, let milliseconds):
      ("somebody comes, \(milliseconds / 1000) s after it was accepted", "\(alert)")
    case .sent, .retried, .failed, .codeWithheld, .codeWork: nil
    }
  }
}

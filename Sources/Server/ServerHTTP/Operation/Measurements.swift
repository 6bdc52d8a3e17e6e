import Model
import ServerCore
import SystemKit

/// What this process has measured since its start.
final class Measurements: Sendable {
  struct Values: Sendable {
    /// From a whole request that raises an alert until its answer is ready: the alert is stored then.
    var acceptance = Histogram()
    /// The same of other requests that need the store.
    var otherRequests = Histogram()
    /// Answers by their status.
    var answers: [Int: Int] = [:]
    /// From a message's queueing until its channel took it.
    var deliveries: [Channel.Kind: Histogram] = [:]
    var retries: [Channel.Kind: Int] = [:]
    var failures: [Channel.Kind: Int] = [:]
    var codes = CodeFigures()
    /// From an alert's arrival until the first responder comes.
    var acknowledgements = Histogram()
    var drillAcknowledgements = Histogram()
  }

  private let state = Lock(Values())

  var values: Values { state.withLock { $0 } }

  func note(_ response: ServerResponse) {
    state.withLock { $0.answers[response.status, default: 0] += 1 }
  }

  /// A request that needed the store was answered.
  func noteRequest(_ outcome: ServerOutcome, seconds: Double) {
    state.withLock { values in
      values.answers[outcome.response.status, default: 0] += 1
      if outcome.hasRaised {
        values.acceptance.add(seconds: seconds)
      } else {
        values.otherRequests.add(seconds: seconds)
      }
    }
  }

  func note(_ notes: [CodeNote], at now: Timestamp) {
    state.withLock { values in for note in notes { values.codes.add(note, at: now) } }
  }

  func note(_ observations: [Observation]) {
    guard !observations.isEmpty else { return }
    state.withLock { values in for observation in observations { values.note(observation) } }
  }
}

extension ServerOutcome {
  fileprivate var hasRaised: Bool {
    observations.contains { if case .raised = $0 { true } else { false } }
  }
}

extension Measurements.Values {
  fileprivate mutating func note(_ observation: Observation) {
    switch observation {
    case .sent(let kind, let milliseconds):
      deliveries[kind, default: Histogram()].add(seconds: Double(milliseconds) / 1000)
    case .retried(let kind): retries[kind, default: 0] += 1
    case .failed(let kind): failures[kind, default: 0] += 1
    case .raised, .ended: break
    case .codeWithheld: codes.addWithheld()
    case .codeWork(let work): codes.add(work)
    case .acknowledged(_, isDrill: true, let milliseconds):
      drillAcknowledgements.add(seconds: Double(milliseconds) / 1000)
    case .acknowledged(_, isDrill: false, let milliseconds): acknowledgements.add(seconds: Double(milliseconds) / 1000)
    }
  }
}

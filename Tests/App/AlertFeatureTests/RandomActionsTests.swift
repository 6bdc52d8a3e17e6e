import AlertFeature
import AppModel
import Clients
import Composable
import Dependencies
import Foundation
import Model
import TestSupport
import Testing

@Suite struct RandomActionsTests {
  @Test func `2,000 random sequences of actions, in any order, keep the state consistent`() {
    let reducer = withDependencies {
      $0.context = .test
    } operation: {
      Reduce(AlertFeature())
    }
    var reached = Reached()
    for seed in UInt64(1)...2000 {
      var random = SeededRandom(seed: seed)
      var state = AlertFeature.State()
      var past: [AlertFeature.Action] = []
      for _ in 0..<60 {
        let action = AlertFeature.Action.random(&random)
        let before = state
        past.append(action)
        _ = reducer.reduce(into: &state, action: action)
        let faults = inconsistencies(before, action, state)
        #expect(faults.isEmpty, "seed \(seed): \(faults) after \(past)")
        guard faults.isEmpty else { return }
        reached.note(state)
      }
    }
    #expect(reached == Reached(activating: true, active: true, deactivating: true, holding: true, asking: true))
  }

  /// Checks that the sequences went everywhere; otherwise they prove nothing.
  private struct Reached: Equatable {
    var activating = false
    var active = false
    var deactivating = false
    var holding = false
    var asking = false

    mutating func note(_ state: AlertFeature.State) {
      activating = activating || state.isActivatingAlert
      active = active || state.isAlertActive
      deactivating = deactivating || state.isDeactivatingAlert
      holding = holding || state.isHoldingDeactivation
      asking = asking || state.confirmationAlert != nil
    }
  }

  private func inconsistencies(
    _ before: AlertFeature.State, _ action: AlertFeature.Action, _ state: AlertFeature.State
  ) -> [String] {
    let asks = state.confirmationAlert?.title == TextState("Deactivate Alert")
    let rules: [(String, Bool)] = [
      ("active and activating", !(state.isAlertActive && state.isActivatingAlert)),
      ("deactivating without an alert", !state.isDeactivatingAlert || state.isAlertActive),
      ("progress beyond 0…1", (0...1).contains(state.activationProgress)),
      ("hold beyond 0…1", (0...1).contains(state.deactivationProgress)),
      ("full without activating", state.isFullyActivated == state.isActivatingAlert),
      ("held without deactivating", !state.isFullyDeactivated || state.isDeactivatingAlert),
      ("partly full while active", !state.isAlertActive || state.activationProgress == 0),
      ("held while not active", state.isAlertActive || state.deactivationProgress == 0),
      ("holding what cannot end", !state.isHoldingDeactivation || state.canDeactivateAlert),
      ("asking about no alert", !asks || state.isAlertActive),
      ("active with an end", !state.isAlertActive || state.alertEndTime == nil),
      ("the ladder of another alert", state.delivery == nil || state.delivery?.savedAt == state.alertStartTime),
      ("a tick changed something", action != .timerTick || before == state),
      ("words for no alert", state.isAlertActive || state.updateMessage.isEmpty && state.updatePlace.isEmpty),
      ("able to do both", !(state.canActivateAlert && state.canDeactivateAlert)),
    ]
    return rules.filter { !$0.1 }.map(\.0)
  }
}

extension AlertFeature.Action {
  /// Any action; a person's actions come more often, so that sequences progress.
  fileprivate static func random(_ random: inout SeededRandom) -> Self {
    switch Int.random(in: 0..<28, using: &random) {
    case 0..<6: .alertButtonTapped
    case 6: .setActivationProgress(progress(&random))
    case 7: .deactivationHoldBegan
    case 8: .deactivationHoldEnded
    case 9: .alertDeactivationProgressChanged(progress(&random))
    case 10: .alertDeactivationButtonTapped
    case 11: .deactivateAlertConfirmed
    case 12: .confirmationAlert(.presented(.deactivateAlertConfirmed))
    case 13: .confirmationAlert(.dismiss)
    case 14: random.pick([.task, .appBecameActive, .appBecameInactive])
    case 15: random.pick([.timerTick, .loadAlertStatus, .loadAlertHistory, .alertSnapshotsEnded])
    case 16, 17: .alertActivationResponse(answer(time(&random), &random))
    case 18, 19: .alertDeactivationResponse(answer(time(&random), &random))
    case 20: .alertHistoryResponse(answer([], &random))
    case 21, 22:
      .alertStatusResponse(answer(AlertSnapshot(isActive: .random(using: &random), startTime: time(&random)), &random))
    case 23: .alertSnapshotChanged(snapshot(&random))
    case 25: random.pick([.updateMessageChanged("x"), .updatePlaceChanged("1,2"), .sendUpdateButtonTapped])
    case 26: .updateResponse(answer((), &random))
    case 24: .setError(random.pick(["something", nil]))
    default: .dismissError
    }
  }

  private static func progress(_ random: inout SeededRandom) -> Double {
    random.pick([0, 0.25, 0.5, 0.99, 1, 1.5, -1, .nan, .infinity, -.infinity, .signalingNaN])
  }

  private static func time(_ random: inout SeededRandom) -> Date {
    start.addingTimeInterval(Double(Int.random(in: 0..<3, using: &random)))
  }

  private static func answer<Value: Sendable>(_ value: Value, _ random: inout SeededRandom) -> TaskResult<Value> {
    Int.random(in: 0..<3, using: &random) == 0 ? .failure(DiskFull()) : .success(value)
  }

  private static func snapshot(_ random: inout SeededRandom) -> AlertSnapshot {
    switch Int.random(in: 0..<3, using: &random) {
    case 0: .active(time(&random))
    case 1: .ended(time(&random))
    default: AlertSnapshot()
    }
  }
}

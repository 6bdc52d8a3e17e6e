import AppModel
import Clients
import Composable
import Dependencies
import FoundationEssentials

extension AlertFeature {
  func loadStatus() -> Effect<Action> {
    .run { send in
      let result = await TaskResult { try await alertClient.getAlertStatus() }
      await send.unlessCancelled(.alertStatusResponse(result))
    }
    .cancellable(id: CancelID.status, cancelInFlight: true)
  }

  /// Shows the status, unless an answer is awaited, which is newer. An error that the person has not read stays.
  func finishStatus(_ state: inout State, _ result: TaskResult<AlertSnapshot>) -> Effect<Action> {
    switch result {
    case .success(var status):
      guard !state.isAwaitingAnswer else { return .none }
      // A client that gives no end does not erase the one that is known.
      if !status.isActive, status.endTime == nil, status.startTime == state.alertStartTime {
        status.endTime = state.alertEndTime
      }
      return take(&state, status)
    case .failure(let error):
      tell(&state, .statusUnreadable, error)
      return .none
    }
  }

  /// A reading that failed replaces nothing that the person has not read: "NOT saved" stays. That no status can be read says
  /// more than that no history can.
  private func tell(_ state: inout State, _ problem: Problem, _ error: any Error) {
    let isWorse = problem == .statusUnreadable && state.problem == .historyUnreadable
    guard state.error == nil || isWorse else { return }
    state.error = errorMessage(error)
    state.problem = problem
  }

  /// Reads the history because the person, or the app, asked for it.
  func loadHistory(_ state: inout State) -> Effect<Action> {
    state.isLoadingHistory = true
    return readHistory()
  }

  /// Reads the history; of several times at once only the last is answered.
  func readHistory() -> Effect<Action> {
    .run { send in
      let result = await TaskResult { try await alertClient.getAlertHistory() }
      await send.unlessCancelled(.alertHistoryResponse(result))
    }
    .cancellable(id: CancelID.history, cancelInFlight: true)
  }

  /// Shows the history. An error that the person has not read stays.
  func finishHistory(_ state: inout State, _ result: TaskResult<[AlertRecord]>) -> Effect<Action> {
    state.isLoadingHistory = false
    switch result {
    case .success(let history): state.alertHistory = history
    case .failure(let error):
      state.historyRevision = nil
      tell(&state, .historyUnreadable, error)
    }
    return .none
  }
}

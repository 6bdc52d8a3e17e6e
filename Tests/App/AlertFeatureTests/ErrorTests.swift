import AlertFeature
import Clients
import ComposableTesting
import Foundation
import Testing

@MainActor @Suite struct ErrorTests {
  private struct Obscure: Error, Equatable {}

  private struct Worded: LocalizedError, Equatable {
    var errorDescription: String? { "a message has at most 500 characters" }
  }

  private func failedActivation(_ error: any Error) async -> String? {
    let store = makeStore(.activating)
    store.exhaustivity = .off
    await store.send(.alertActivationResponse(.failure(error)))
    return store.state.error
  }

  @Test func `"NOT saved" is shown once, for every type of error`() async {
    #expect(await failedActivation(DiskFull()) == DiskFull.message)
    #expect(
      await failedActivation(Worded()) == "The alert is NOT saved. A message has at most 500 characters")
    #expect(await failedActivation(Obscure()) == "The alert is NOT saved. That did not work. Please try again.")
    #expect(
      await failedActivation(CancellationError())
        == "The alert is NOT saved. This was interrupted. Please try again.")
  }

  @Test func `The outcome is a kind, never a text`() async {
    struct Sent: AlertSavingError, LocalizedError, Equatable {
      var savingFailure: AlertSavingFailure? { .sentNotSaved }
      var errorDescription: String? { "Help was called: the server has the alert." }
    }
    for (error, isSent) in [(Sent() as any Error, true), (DiskFull(), false), (Obscure(), false)] {
      let raising = makeStore(.activating)
      raising.exhaustivity = .off
      await raising.send(.alertActivationResponse(.failure(error)))
      #expect(raising.state.problem == (isSent ? .sentNotSaved : .notSaved))
      #expect(raising.state.error?.contains("NOT saved") == !isSent)
      let ending = makeStore(.deactivating)
      ending.exhaustivity = .off
      await ending.send(.alertDeactivationResponse(.failure(error)))
      #expect(ending.state.problem == (isSent ? .endSentNotSaved : .endNotSaved))
      await ending.send(.dismissError)
      #expect(ending.state.problem == nil)
      let telling = makeStore(
        .init(isAlertActive: true, alertStartTime: start, updateMessage: "worse", isSendingUpdate: true))
      telling.exhaustivity = .off
      await telling.send(.updateResponse(.failure(error)))
      #expect(telling.state.problem == (isSent ? .updateSentNotSaved : .updateNotSaved))
      #expect(telling.state.updateMessage == (isSent ? "" : "worse"))
    }
  }

  @Test func `An unreadable status replaces an unreadable history, and not the other way around`() async {
    let store = makeStore()
    store.exhaustivity = .off
    await store.send(.alertHistoryResponse(.failure(Worded())))
    #expect(store.state.problem == .historyUnreadable)
    await store.send(.alertStatusResponse(.failure(Worded())))
    #expect(store.state.problem == .statusUnreadable)
    await store.send(.alertHistoryResponse(.failure(Worded())))
    #expect(store.state.problem == .statusUnreadable)
  }

  @Test func `No error shows the name of its type`() async {
    for action in [
      AlertFeature.Action.alertDeactivationResponse(.failure(Obscure())), .alertHistoryResponse(.failure(Obscure())),
      .alertStatusResponse(.failure(Obscure())),
    ] {
      let store = makeStore(.deactivating)
      store.exhaustivity = .off
      await store.send(action)
      #expect(store.state.error == "That did not work. Please try again.")
    }
  }

  @Test(arguments: [
    AlertFeature.Action.alertHistoryResponse(.failure(Worded())), .alertStatusResponse(.failure(Worded())),
  ])
  func `A failed read does not replace "NOT saved"`(reading: AlertFeature.Action) async {
    let store = makeStore(.activating)
    store.exhaustivity = .off
    await store.send(.alertActivationResponse(.failure(DiskFull())))
    await store.send(reading)
    #expect(store.state.error == DiskFull.message)
    await store.send(.dismissError)
    await store.send(reading)
    #expect(store.state.error == Worded().errorDescription)
  }

  @Test func `"NOT saved" replaces a failed read`() async {
    let store = makeStore(.deactivating)
    store.exhaustivity = .off
    await store.send(.alertHistoryResponse(.failure(Worded())))
    await store.send(.alertDeactivationResponse(.failure(DiskFull())))
    #expect(store.state.error == DiskFull.message)
  }
}

import LifeSignalFeatures
import ProgramTesting
import Testing

/// Code of an app that only imports the features.
private struct Button: Reducer {
  struct State: Equatable, Sendable {
    var snapshot = AlertSnapshot()
    var region = Region.unitedStates
    var question: AlertState<Action>?
    var last: Alert?
  }

  enum Action: Equatable, Sendable {
    case pressed
    case appeared
    case changed(AlertSnapshot)
  }

  @Dependency(\.alertClient) var alertClient

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .pressed:
        return .run { _ in _ = try await alertClient.activateAlert() }
      case .appeared:
        return .run { send in
          for await snapshot in alertClient.snapshots() {
            await send(.changed(snapshot))
            if snapshot.isActive { return }
          }
        }
      case .changed(let snapshot):
        state.snapshot = snapshot
        return .none
      }
    }
  }
}

@MainActor @Suite(.timeLimit(.minutes(5))) struct `An app with one import` {
  @Test func `raises an alert on this device and sees it`() async throws {
    let device = try TestDevice()
    let client = try LifeSignalClient.open(home: device.home)
    let store = Store(initialState: Button.State()) {
      Button()
    } withDependencies: {
      $0.use(client)
    }
    let observing = store.send(.appeared)
    store.send(.pressed)
    await observing.finish()
    #expect(store.snapshot.isActive)
    #expect(store.snapshot.delivery?.acceptedAt == nil)
    #expect(try await client.status().isActive)
  }
}

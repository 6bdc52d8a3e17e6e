import Composable
import Dependencies
import Testing

/// A child that counts, and ticks until it is cancelled.
private struct Child: Reducer, Sendable {
  struct State: Equatable, Sendable { var count = 0 }
  enum Action: Equatable, Sendable { case increment, startTicking }
  @Dependency(\.continuousClock) var clock

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .increment:
        state.count += 1
        return .none
      case .startTicking:
        return .run { send in
          for await _ in clock.timer(interval: .seconds(1)) { await send(.increment) }
        }
      }
    }
  }
}

private struct Parent: Reducer, Sendable {
  struct State: Equatable, Sendable {
    var always = Child.State()
    var sometimes: Child.State?
    @Presents var presented: Child.State?
    @Presents var alert: AlertState<Alert>?
    var log: [String] = []
  }
  enum Alert: Equatable, Sendable { case confirm, again }
  enum Action: Equatable, Sendable, CasePathable {
    case always(Child.Action)
    case sometimes(Child.Action)
    case presented(PresentationAction<Child.Action>)
    case alert(PresentationAction<Alert>)
    case remove

    struct AllCasePaths: Sendable {
      var always: AnyCasePath<Action, Child.Action> {
        AnyCasePath(embed: Action.always) { if case .always(let action) = $0 { action } else { nil } }
      }
      var sometimes: AnyCasePath<Action, Child.Action> {
        AnyCasePath(embed: Action.sometimes) { if case .sometimes(let action) = $0 { action } else { nil } }
      }
      var presented: AnyCasePath<Action, PresentationAction<Child.Action>> {
        AnyCasePath(embed: Action.presented) { if case .presented(let action) = $0 { action } else { nil } }
      }
      var alert: AnyCasePath<Action, PresentationAction<Alert>> {
        AnyCasePath(embed: Action.alert) { if case .alert(let action) = $0 { action } else { nil } }
      }
    }
    static var allCasePaths: AllCasePaths { AllCasePaths() }
  }

  var body: some ReducerOf<Self> {
    Scope(state: \.always, action: \.always) { Child() }
    Reduce { state, action in
      switch action {
      case .remove:
        state.sometimes = nil
        state.presented = nil
      case .alert(.presented(.again)): state.alert = AlertState { TextState("Again") }
      case .alert(.presented(.confirm)): state.log.append(state.alert == nil ? "gone" : "there")
      case .sometimes(.increment): state.log.append("\(state.sometimes?.count ?? -1)")
      default: break
      }
      return .none
    }
    .ifLet(\.sometimes, action: \.sometimes) { Child() }
    .ifLet(\.$presented, action: \.presented) { Child() }
    .ifLet(\.$alert, action: \.alert)
  }
}

@MainActor
@Suite struct `Features composed` {
  @Test func `let a child reduce its part`() async {
    let store = SettledStore(Parent.State(), reducer: Parent())
    await store.send(.always(.increment))
    #expect(store.state.always.count == 1)
  }

  @Test func `run a present child before its parent`() async {
    let store = SettledStore(Parent.State(sometimes: Child.State(count: 4)), reducer: Parent())
    await store.send(.sometimes(.increment))
    #expect(store.state.log == ["5"])
  }

  @Test func `ignore an action of a removed child, and warn`() async {
    let store = SettledStore(Parent.State(), reducer: Parent())
    let issues = await issues {
      await store.send(.sometimes(.startTicking))
      await store.send(.presented(.presented(.increment)))
    }
    #expect(store.state == Parent.State())
    #expect(issues.map(\.severity) == [.warning, .warning])
    #expect(issues.first?.message.contains("“Action.startTicking”") == true)
  }

  @Test(arguments: [true, false]) func `cancel a child's effects when it is removed`(isPresented: Bool) async {
    let clock = TestClock()
    let state = Parent.State(sometimes: Child.State(), presented: Child.State())
    let store = withDependencies {
      $0.continuousClock = clock
    } operation: {
      SettledStore(state, clock: clock, reducer: Parent())
    }
    await store.send(isPresented ? .presented(.presented(.startTicking)) : .sometimes(.startTicking))
    await clock.advance(by: .seconds(2))
    #expect((isPresented ? store.state.presented : store.state.sometimes)?.count == 2)
    await store.send(isPresented ? .presented(.dismiss) : .remove)
    #expect(store.store.effectsInFlight == 0)
    await clock.advance(by: .seconds(2))
    #expect((isPresented ? store.state.presented : store.state.sometimes) == nil)
  }

  @Test func `dismiss an alert after the parent has handled the chosen button`() async {
    let store = SettledStore(Parent.State(alert: AlertState { TextState("Sure?") }), reducer: Parent())
    await store.send(.alert(.presented(.confirm)))
    #expect(store.state.log == ["there"])
    #expect(store.state.alert == nil)
  }

  @Test func `dismiss an alert on the dismiss action`() async {
    let store = SettledStore(Parent.State(alert: AlertState { TextState("Sure?") }), reducer: Parent())
    await store.send(.alert(.dismiss))
    #expect(store.state.alert == nil)
  }

  @Test func `keep an alert that replaced another`() async {
    let store = SettledStore(Parent.State(alert: AlertState { TextState("Sure?") }), reducer: Parent())
    await store.send(.alert(.presented(.again)))
    #expect(store.state.alert?.title == "Again")
  }

  @Test func `have stores for their children`() async {
    let store = Store(initialState: Parent.State(sometimes: Child.State(count: 1))) { Parent() }
    let always = store.scope(state: \.always, action: \.always)
    always.send(.increment)
    #expect(always.count == 1)
    #expect(store.always.count == 1)
    let sometimes = store.scope(state: \.sometimes, action: \.sometimes)
    store.send(.remove)
    #expect(sometimes?.count == 1)
    #expect(store.scope(state: \.sometimes, action: \.sometimes) == nil)
  }

  @Test func `compare alerts by their texts and actions`() {
    func alert(_ text: String) -> AlertState<Parent.Alert> {
      AlertState {
        TextState("Title")
      } actions: {
        ButtonState(role: .destructive) {
          TextState(text)
        } action: {
          .confirm
        }
        ButtonState(role: .cancel) { TextState("Cancel") }
      } message: {
        TextState("Message")
      }
    }
    #expect(alert("Yes") == alert("Yes"))
    #expect(alert("Yes") != alert("No"))
    #expect(alert("Yes").id != alert("Yes").id)
    #expect(Set([alert("Yes"), alert("Yes")]).count == 1)
  }
}

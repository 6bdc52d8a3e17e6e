package import Foundation
package import LifeSignalFeatures

/// The screen: the two features, and what is shown of them.
///
/// It adds nothing to what they do. It says what keys mean now, tells presses from repeats and holds, and remembers where the
/// history is scrolled to and which button of a dialogue is chosen.
package struct ScreenFeature: Reducer {
  package struct State: Equatable, Sendable {
    package var alert = AlertFeature.State()
    package var auth = AuthFeature.State()
    /// What lies under the button.
    var panel = Panel.overview
    /// All keys are shown in its place.
    var isHelpShown = false
    /// What was typed to find a region.
    var regionSearch = RegionSearch()
    var size = ScreenSize(columns: 80, rows: 24)
    var historyOffset = 0
    /// Which button the person has chosen; nil where the dialogue's own default stands.
    var chosenButton: Int?
    var paste = PasteCollector()
    var repeats = KeyRepeatFilter()
    var hold = HoldDetector()
    var dialogueGuard = DialogueGuard()
    /// Why the last alert was not saved, also when that was read, until the next tap.
    var notSaved: NotSaved?
    /// Why nothing can be read or saved on this device, until something was read.
    var storeProblem: String?
    /// What went wrong while signing in, also when that was read, until something is typed.
    var signInProblem: String?
    /// The person wants to leave while something is not sent.
    var isAskingToLeave = false
    /// The dialogue and the alert as they were after the last action.
    var lastDialogue: PresentedDialogue.ID?
    var wasAlertActive = false
    /// The names of those who are told of an alert; nil while they are not known.
    var responders: [String]?
    /// Of the contacts from which they were listed; nil where they are to be listed with the next snapshot.
    var contactsRevision: String?
    /// No server is set: then nobody can sign in.
    var lacksServer = false
    /// Why nothing is sent at the moment.
    var workerProblem: String?
    /// When the connection broke on which the server tells what is new; nil while there is one, or none was seen here.
    var streamLostAt: Date?
    package var isQuitting = false

    package init() {}
  }

  enum Panel: Hashable, Sendable { case overview, history, signIn }

  /// An alert that this device could not save.
  struct NotSaved: Hashable, Sendable {
    /// One line for a person.
    var reason: String
    /// The server has it all the same: help was called.
    var wasSent: Bool
  }

  package enum Action: Sendable {
    /// The screen is there.
    case opened
    case resized(ScreenSize)
    /// A key was told, at a time of a clock that never goes back.
    case key(Key, atMilliseconds: Int64)
    /// The hold that was to end at this time, unless the key was told, has ended.
    case holdRanOut(atMilliseconds: Int64)
    /// The names of those who are told of an alert.
    case respondersListed([String])
    /// They cannot be read now.
    case respondersNotListed
    /// Whether this device knows where its server is.
    case serverNamed(Bool)
    /// Why nothing is sent or fetched at the moment; nil when it is again.
    case workerProblem(String?)
    /// The connection on which the server tells what is new was opened (nil), or broke at this time.
    case streamTold(lostAt: Date?)
    /// The dialogue has been there for a moment.
    case dialogueAged
    /// No key came for a moment while a dialogue was there.
    case keysPaused
    /// The key that was to be let go was not told for a while.
    case keyLetGo
    /// Whether the person leaves although something is not sent.
    case leavingAnswered(Bool)
    case alert(AlertFeature.Action)
    case auth(AuthFeature.Action)
  }

  @Dependency(\.continuousClock) var clock
  @Dependency(\.contactClient) var contactClient
  @Dependency(\.serverSettings) var serverSettings

  package init() {}

  package var body: some ReducerOf<Self> {
    Scope(state: \.alert, action: \.alert) { AlertFeature() }
    Scope(state: \.auth, action: \.auth) { AuthFeature() }
    Reduce { state, action in
      let effect = answer(action, &state)
      return effect.merge(with: followFeatures(&state, after: action))
    }
  }

  enum CancelID: Hashable, Sendable { case hold, responders, dialogueAge, keyPause, letGo }

  private func answer(_ action: Action, _ state: inout State) -> Effect<Action> {
    switch action {
    case .opened:
      return .merge(.send(.alert(.appBecameActive)), .send(.auth(.task)), listResponders(), askForServer())
    case .resized(let size):
      state.size = size
      state.scroll(to: state.historyOffset)
    case .key(let key, let now):
      let keys = state.paste.keys(key, at: now)
      // One after the other, since each must see what the one before did.
      guard keys.count == 1 else { return .merge(keys.map { .send(.key($0, atMilliseconds: now)) }) }
      return answer(keys[0], at: now, &state)
    case .holdRanOut(let time):
      guard state.hold.endsAt == time else { return .none }
      return follow(state.hold.expire(at: time), at: time, &state)
    case .respondersListed(let names):
      state.responders = names
    case .respondersNotListed:
      state.contactsRevision = nil
    case .serverNamed(let isNamed):
      state.lacksServer = !isNamed
    case .workerProblem(let problem):
      state.workerProblem = problem
    case .streamTold(let lostAt):
      state.streamLostAt = lostAt
    case .dialogueAged:
      state.dialogueGuard.agePassed()
    case .keysPaused:
      state.dialogueGuard.pausePassed()
    case .keyLetGo:
      state.repeats.pausePassed()
    case .leavingAnswered(let leaves):
      state.isQuitting = leaves && state.isAskingToLeave
      state.isAskingToLeave = false
    case .auth:
      if state.panel == .signIn, state.auth.isAuthenticated { state.panel = .overview }
    case .alert(.alertSnapshotChanged(let snapshot)):
      let isListed = snapshot.revision != nil && snapshot.revision?.contacts == state.contactsRevision
      state.contactsRevision = snapshot.revision?.contacts
      return isListed ? .none : listResponders()
    case .alert: break
    }
    return .none
  }

  /// Somebody may have said it meanwhile, with another program.
  func askForServer() -> Effect<Action> {
    .run { [serverSettings] send in await send(.serverNamed(await serverSettings.isServerNamed())) }
  }

  /// Who is told of an alert. Where they cannot be read, those that were known before stay.
  private func listResponders() -> Effect<Action> {
    .run { [contactClient] send in
      let contacts = try await contactClient.list()
      await send.unlessCancelled(
        .respondersListed(contacts.filter(\.contact.details.isResponder).map(\.contact.details.name)))
    } catch: { _, send in
      await send.unlessCancelled(.respondersNotListed)
    }
    .cancellable(id: CancelID.responders, cancelInFlight: true)
  }
}

extension ScreenFeature.Action: CasePathable {
  package struct AllCasePaths: Sendable {
    package var alert: AnyCasePath<ScreenFeature.Action, AlertFeature.Action> {
      AnyCasePath(embed: ScreenFeature.Action.alert) { if case .alert(let action) = $0 { action } else { nil } }
    }
    package var auth: AnyCasePath<ScreenFeature.Action, AuthFeature.Action> {
      AnyCasePath(embed: ScreenFeature.Action.auth) { if case .auth(let action) = $0 { action } else { nil } }
    }
  }

  package static var allCasePaths: AllCasePaths { AllCasePaths() }
}

// MARK: - Keys

extension ScreenFeature {
  private func answer(_ key: Key, at now: Int64, _ state: inout State) -> Effect<Action> {
    // Also where they mean something else: one that is held goes on when a dialogue has gone.
    let isPress = (key == .space || key == .enter) && state.repeats.isPress(at: now)
    state.regionSearch.expire(at: now)
    let intent = KeyMap.intent(for: key, in: state.focus)
    if case .searchRegion(let letter) = intent { return searchRegion(letter, at: now, &state) }
    state.regionSearch = RegionSearch()
    switch intent {
    case nil: return .none
    case .alertKey: return alertKey(isPress: isPress, at: now, &state)
    case .tap: return tap(isPress: isPress, state)
    case .quit:
      state.isAskingToLeave = state.unsent != nil
      state.isQuitting = !state.isAskingToLeave
    case .showHelp: state.isHelpShown = true
    case .showHistory:
      state.panel = .history
      state.isHelpShown = false
    case .showSignIn:
      state.panel = .signIn
      state.isHelpShown = false
      return askForServer()
    case .scroll(let rows): state.scroll(to: state.historyOffset + rows)
    case .scrollPages(let pages): state.scroll(to: state.historyOffset + pages * state.historyRows)
    case .scrollToNewest: state.scroll(to: 0)
    case .scrollToOldest: state.scroll(to: .max)
    case .nextButton: state.choose(by: 1)
    case .previousButton: state.choose(by: -1)
    case .cycleButtons(let step): state.choose(by: step, wraps: true)
    case .leavePanel: return leavePanel(&state)
    case .some(let intent): return featureEffect(intent, state)
    }
    return .none
  }

  private func tap(isPress: Bool, _ state: State) -> Effect<Action> {
    isPress && state.alert.canActivateAlert ? .send(.alert(.alertButtonTapped)) : .none
  }

  /// Space: a tap while an alert can be raised; while one can be ended, the beginning of a hold.
  private func alertKey(isPress: Bool, at now: Int64, _ state: inout State) -> Effect<Action> {
    let change = state.hold.keyTold(at: now, mayBegin: state.alert.canDeactivateAlert)
    return tap(isPress: isPress, state).merge(with: follow(change, at: now, &state))
  }

  /// Tells the feature of a hold's beginning and end, and watches for its end.
  func follow(_ change: HoldDetector.Change?, at now: Int64, _ state: inout State) -> Effect<Action> {
    let told: Effect<Action> =
      switch change {
      case .began: .send(.alert(.deactivationHoldBegan))
      case .ended: .send(.alert(.deactivationHoldEnded))
      case nil: .none
      }
    guard let endsAt = state.hold.endsAt else { return told.merge(with: .cancel(id: CancelID.hold)) }
    let watch = Effect<Action>.run { [clock] send in
      try await clock.sleep(for: .milliseconds(endsAt - now))
      await send.unlessCancelled(.holdRanOut(atMilliseconds: endsAt))
    }
    return told.merge(with: watch.cancellable(id: CancelID.hold, cancelInFlight: true))
  }
}

package import FoundationEssentials
package import LifeSignalFeatures

/// The screen: the three features, and what is shown of them.
///
/// It adds nothing to what they do. It maps keys to their meaning, distinguishes presses from repeats and holds, and remembers the
/// scroll position of the history and the chosen button of a dialog.
package struct ScreenFeature: Reducer {
  package struct State: Equatable, Sendable {
    package var alert = AlertFeature.State()
    package var auth = AuthFeature.State()
    package var inbox = ResponderFeature.State()
    /// The panel below the button.
    var panel = Panel.overview
    /// Whether the list of keys is shown in its place.
    var isHelpShown = false
    /// Whether the place is typed on the page for a message, and not the message.
    var isPlaceChosen = false
    /// Whether the line beside an answer is typed.
    var isWritingLine = false
    /// The answer that counts if its key is pressed once more.
    var answerToRepeat: ReceivedAlert.Answer.Kind?
    /// The alert that is chosen in the inbox; nil for the first.
    var chosenAlert: ReceivedAlert.ID?
    /// The number of rows scrolled out at the top of an open alert.
    var detailsOffset = 0
    /// How often a responder answered since the screen opened.
    var answerCount = 0
    /// The answers so far, and the alert that they are about.
    var knownAnswers: Set<Answer> = []
    var answeredAlert: AlertID?
    /// What was typed to find a region.
    var regionSearch = RegionSearch()
    var size = ScreenSize(columns: 80, rows: 24)
    var historyOffset = 0
    /// The button that the person has chosen; nil for the dialog's default.
    var chosenButton: Int?
    var paste = PasteCollector()
    var repeats = KeyRepeatFilter()
    var hold = HoldDetector()
    var dialogGuard = DialogGuard()
    /// Why the last alert was not saved, even after the message was read, until the next tap.
    var notSaved: NotSaved?
    /// Why nothing can be read or saved on this device, until a reading succeeds.
    var storeProblem: String?
    /// What went wrong while signing in, even after the message was read, until something is typed.
    var signInProblem: String?
    /// Whether the person is asked about leaving while something is not sent.
    var isAskingToLeave = false
    /// The dialog and the alert after the last action.
    var lastDialog: PresentedDialog.ID?
    var wasAlertActive = false
    var lastBackgroundNeed = BackgroundNeed()
    /// What became of the process in the background; nil if none was needed so far.
    package var background: BackgroundSending.Outcome?
    /// The names of the responders who are told at once; nil while unknown.
    var responders: [String]?
    /// The revision of the contacts they were read from; nil to reread with the next snapshot.
    var contactsRevision: String?
    /// Whether no server is set, so that nobody can sign in.
    var lacksServer = false
    /// Why nothing is sent at the moment.
    var workerProblem: String?
    /// When the server's event stream broke; nil while it is open, or if none was seen.
    var streamLostAt: Date?
    package var isQuitting = false

    package init() {}
  }

  enum Panel: Hashable, Sendable { case overview, history, signIn, update, inbox }

  /// An alert that this device could not save.
  struct NotSaved: Hashable, Sendable {
    /// One line for a person.
    var reason: String
    /// Whether the server has it, sent from memory.
    var wasSent: Bool
  }

  package enum Action: Sendable {
    /// The screen opened.
    case opened
    case resized(ScreenSize)
    /// A key came, at a monotonic time.
    case key(Key, atMilliseconds: Int64)
    /// The hold that was to end at this time ended, unless the key came.
    case holdRanOut(atMilliseconds: Int64)
    /// The names of the responders were read.
    case respondersListed([String])
    /// The responders cannot be read now.
    case respondersNotListed
    /// Whether a server is set.
    case serverNamed(Bool)
    /// Why nothing is sent or fetched at the moment; nil when it is again.
    case workerProblem(String?)
    /// The server's event stream opened (nil), or broke at this time.
    case streamTold(lostAt: Date?)
    /// The process in the background was started, or why not.
    case backgroundStarted(BackgroundSending.Outcome)
    /// The dialog has been shown for the minimum time.
    case dialogAged
    /// No key came for a while during a dialog.
    case keysPaused
    /// The key that was to be released did not come for a while.
    case keyLetGo
    /// Whether the person quits although something is not sent.
    case leavingAnswered(Bool)
    case alert(AlertFeature.Action)
    case auth(AuthFeature.Action)
    case inbox(ResponderFeature.Action)
  }

  @Dependency(\.continuousClock) var clock
  @Dependency(\.date) var date
  @Dependency(\.contactClient) var contactClient
  @Dependency(\.serverSettings) var serverSettings
  @Dependency(\.backgroundSending) var backgroundSending

  package init() {}

  /// The features handle an action first; then the screen follows what they did.
  package var body: some ReducerOf<Self> {
    Scope(state: \.alert, action: \.alert) { AlertFeature() }
    Scope(state: \.auth, action: \.auth) { AuthFeature() }
    Scope(state: \.inbox, action: \.inbox) { ResponderFeature() }
    Reduce { state, action in
      let effect = answer(action, &state)
      return effect.merge(with: followFeatures(&state, after: action))
    }
  }

  enum CancelID: Hashable, Sendable { case hold, responders, dialogAge, keyPause, letGo }

  private func answer(_ action: Action, _ state: inout State) -> Effect<Action> {
    switch action {
    case .opened:
      return .merge(
        .send(.alert(.appBecameActive)), .send(.auth(.task)), .send(.inbox(.appBecameActive)), listResponders(),
        askForServer())
    case .resized(let size):
      state.size = size
      state.scroll(to: state.historyOffset)
    case .key(let key, let now):
      let keys = state.paste.keys(key, at: now)
      // In sequence: each key must see what the one before did.
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
    case .backgroundStarted(let outcome):
      state.background = outcome
    case .dialogAged:
      state.dialogGuard.agePassed()
    case .keysPaused:
      state.dialogGuard.pausePassed()
    case .keyLetGo:
      state.repeats.pausePassed()
    case .leavingAnswered(let leaves):
      state.isQuitting = leaves && state.isAskingToLeave
      state.isAskingToLeave = false
    case .auth:
      if state.panel == .signIn, state.auth.isAuthenticated { state.panel = .overview }
    case .alert(.updateResponse(.success)):
      if state.panel == .update { state.panel = .overview }
    case .alert(.alertSnapshotChanged(let snapshot)):
      state.noteAnswers(in: snapshot)
      let isListed = snapshot.revision != nil && snapshot.revision?.contacts == state.contactsRevision
      state.contactsRevision = snapshot.revision?.contacts
      return isListed ? .none : listResponders()
    case .alert, .inbox: break
    }
    return .none
  }

  /// Asks whether a server is set: another program may have set one.
  func askForServer() -> Effect<Action> {
    .run { [serverSettings] send in await send(.serverNamed(await serverSettings.isServerNamed())) }
  }

  /// Reads the responders who are told at once. If that fails, the known ones stay.
  private func listResponders() -> Effect<Action> {
    .run { [contactClient] send in
      let responders = try await contactClient.list().map(\.contact.details).filter(\.isResponder)
      let firstTier = responders.map(\.tier).min()
      await send.unlessCancelled(.respondersListed(responders.filter { $0.tier == firstTier }.map(\.name)))
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
    package var inbox: AnyCasePath<ScreenFeature.Action, ResponderFeature.Action> {
      AnyCasePath(embed: ScreenFeature.Action.inbox) { if case .inbox(let action) = $0 { action } else { nil } }
    }
  }

  package static var allCasePaths: AllCasePaths { AllCasePaths() }
}

// MARK: - Keys

extension ScreenFeature {
  private func answer(_ key: Key, at now: Int64, _ state: inout State) -> Effect<Action> {
    // Counted in every panel: a held key continues after a dialog is dismissed.
    let isPress = (key == .space || key == .enter) && state.repeats.isPress(at: now)
    state.regionSearch.expire(at: now)
    let intent = KeyMap.intent(for: key, in: state.focus)
    let answerToRepeat = state.answerToRepeat
    state.answerToRepeat = nil
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
    case .showUpdate:
      state.panel = .update
      state.isPlaceChosen = false
      state.isHelpShown = false
    case .nextField: state.isPlaceChosen.toggle()
    case .scroll(let rows): state.scroll(to: state.historyOffset + rows)
    case .scrollPages(let pages): state.scroll(to: state.historyOffset + pages * state.historyRows)
    case .scrollToNewest: state.scroll(to: 0)
    case .scrollToOldest: state.scroll(to: .max)
    case .nextButton: state.choose(by: 1)
    case .previousButton: state.choose(by: -1)
    case .cycleButtons(let step): state.choose(by: step, wraps: true)
    case .showInbox: return showInbox(&state)
    case .chooseAlert(let step): state.chooseAlert(by: step)
    case .openAlert: return isPress ? openAlert(&state) : .none
    case .scrollDetails(let rows): state.scrollDetails(by: rows, now: date.now)
    case .writeLine: state.isWritingLine = true
    case .answer(let answer): return give(answer, after: answerToRepeat, &state)
    case .leavePanel: return leavePanel(&state)
    case .some(let intent): return featureEffect(intent, state)
    }
    return .none
  }

  private func tap(isPress: Bool, _ state: State) -> Effect<Action> {
    isPress && state.alert.canActivateAlert ? .send(.alert(.alertButtonTapped)) : .none
  }

  /// Space: a tap while an alert can be raised; the beginning of a hold while one can be ended.
  private func alertKey(isPress: Bool, at now: Int64, _ state: inout State) -> Effect<Action> {
    let change = state.hold.keyTold(at: now, mayBegin: state.alert.canDeactivateAlert)
    return tap(isPress: isPress, state).merge(with: follow(change, at: now, &state))
  }

  /// Tells the feature of a hold's beginning and end, and schedules its end.
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

import LifeSignalFeatures

extension ScreenFeature {
  /// What the features are told of a key that is theirs.
  func featureEffect(_ intent: KeyIntent, _ state: State) -> Effect<Action> {
    switch intent {
    case .askToEnd: .send(.alert(.alertDeactivationButtonTapped))
    case .askToSignOut: .send(.auth(.signOutButtonTapped))
    case .pressButton: state.presented.map { .send($0.pressed(state.chosenButton)) } ?? .none
    case .cancelDialog: state.presented.map { .send($0.cancelled) } ?? .none
    case .nextRegion: changeRegion(by: 1, state)
    case .previousRegion: changeRegion(by: -1, state)
    case .type(let text): type(state.joined(text), state)
    case .clear: type("", state)
    case .erase: type(String(state.typed.dropLast()), state)
    case .submit where state.panel == .update: .send(.alert(.sendUpdateButtonTapped))
    case .submit: .send(.auth(state.auth.isVerificationCodeSent ? .verifyButtonTapped : .signInButtonTapped))
    case .resend: .send(.auth(.resendCodeButtonTapped))
    default: .none
    }
  }

  private func type(_ text: String, _ state: State) -> Effect<Action> {
    if state.panel == .inbox { return .send(.inbox(.answerTextChanged(text))) }
    if state.panel == .update {
      return .send(.alert(state.isPlaceChosen ? .updatePlaceChanged(text) : .updateMessageChanged(text)))
    }
    return .send(.auth(state.auth.isVerificationCodeSent ? .verificationCodeChanged(text) : .phoneNumberChanged(text)))
  }

  /// A letter of a region's name, or of its code.
  func searchRegion(_ letter: Character, at now: Int64, _ state: inout State) -> Effect<Action> {
    state.regionSearch.type(letter, at: now)
    guard let region = state.regionSearch.found(in: Self.regions) else { return .none }
    return .send(.auth(.regionChanged(region)))
  }

  /// All of them, sorted once.
  private static let regions = Region.all

  private func changeRegion(by step: Int, _ state: State) -> Effect<Action> {
    let regions = Self.regions
    guard !regions.isEmpty else { return .none }
    let index = regions.firstIndex(of: state.auth.selectedRegion) ?? 0
    return .send(.auth(.regionChanged(regions[(index + step + regions.count) % regions.count])))
  }

  /// One step back: from the keys to what was there before, from the code, or from work for one, to the number, from there to the overview.
  func leavePanel(_ state: inout State) -> Effect<Action> {
    if state.isHelpShown {
      state.isHelpShown = false
      return .none
    }
    if state.panel == .inbox, let effect = leaveAlert(&state) { return effect }
    if state.panel == .signIn, state.auth.isVerificationCodeSent || state.auth.codeWorkSeconds != nil {
      return .send(.auth(.backButtonTapped))
    }
    state.panel = .overview
    return .none
  }
}

extension ScreenFeature.State {
  /// What was typed into the field that is shown.
  fileprivate var typed: String {
    if panel == .inbox { return inbox.answerText }
    if panel == .update { return isPlaceChosen ? alert.updatePlace : alert.updateMessage }
    return auth.isVerificationCodeSent ? auth.verificationCode : auth.phoneNumber
  }

  /// No number has more digits.
  private static var digitLimit: Int { 20 }
  /// No number has more characters, including what people write between digits.
  private static var characterLimit: Int { 40 }

  /// What was typed with `text` behind it, as far as it can be a number: a plus stands in front only.
  fileprivate func joined(_ text: String) -> String {
    if panel == .inbox { return typed + text }
    if panel == .update { return String((typed + text).prefix(AlertMessage.maximumCharacters)) }
    guard !auth.isVerificationCodeSent else { return typed + text }
    var number = typed
    var digitCount = number.count { $0.isNumber }
    for character in text where number.count < Self.characterLimit {
      if character == "+", !number.isEmpty { continue }
      if character.isNumber {
        guard digitCount < Self.digitLimit else { continue }
        digitCount += 1
      }
      number.append(character)
    }
    return number
  }
}

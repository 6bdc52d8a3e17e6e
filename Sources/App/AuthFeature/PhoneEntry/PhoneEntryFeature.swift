public import Composable
public import Model
import PhoneNumbers

/// The entry of the number that a code is sent to.
///
/// It can be used alone: it tells its parent by `delegate` that a code is wanted, and does not send one.
public struct PhoneEntryFeature: Reducer, Sendable {
  /// What was typed, and whether a code can be sent there.
  public struct State: Equatable, Sendable {
    /// As it was typed.
    public var phoneNumber: String
    /// The region of the number.
    public var selectedRegion: Region
    /// Whether it can be a number of the region; see ``PhoneValidator``.
    public var isPhoneNumberValid: Bool

    /// What was typed so far; without arguments nothing, in the United States.
    public init(phoneNumber: String = "", selectedRegion: Region = .unitedStates, isPhoneNumberValid: Bool = false) {
      self.phoneNumber = phoneNumber
      self.selectedRegion = selectedRegion
      self.isPhoneNumberValid = isPhoneNumberValid
    }

    /// The number as people write it in the region, as far as it was typed.
    public var formattedPhoneNumber: String { PhoneFormatter.format(phoneNumber, for: selectedRegion) }
  }

  /// What happens there.
  public enum Action: Equatable, Sendable {
    /// The person typed; with the whole text.
    case phoneNumberChanged(String)
    /// The person chose a region.
    case regionChanged(Region)
    /// The person wants a code.
    case signInButtonTapped
    /// For the parent.
    case delegate(Delegate)

    /// What the parent is asked to do.
    public enum Delegate: Equatable, Sendable {
      /// Have a code sent to the number.
      case signIn
    }
  }

  /// An entry.
  public init() {}

  /// Stores and validates what was typed; requests a code only if the number is valid.
  public func reduce(into state: inout State, action: Action) -> Effect<Action> {
    switch action {
    case .phoneNumberChanged(let phoneNumber):
      state.phoneNumber = phoneNumber
      state.selectRegionOfNumber()
      state.validate()
      return .none
    case .regionChanged(let region):
      state.selectedRegion = region
      state.validate()
      return .none
    case .signInButtonTapped:
      return state.isPhoneNumberValid ? .send(.delegate(.signIn)) : .none
    case .delegate:
      return .none
    }
  }
}

extension PhoneEntryFeature.State {
  fileprivate mutating func validate() {
    isPhoneNumberValid = PhoneValidator.isValid(phoneNumber, for: selectedRegion)
  }

  /// A complete number that begins with + determines its region.
  fileprivate mutating func selectRegionOfNumber() {
    guard let dialed = DialedText.normalized(phoneNumber), dialed.contains("+"),
      let number = try? PhoneNumber.parse(dialed, region: nil), let region = Region(code: number.region)
    else { return }
    selectedRegion = region
  }
}

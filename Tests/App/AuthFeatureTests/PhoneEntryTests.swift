import AuthFeature
import Composable
import ComposableTesting
import Foundation
import LifeSignalFoundation
import Model
import Testing

@MainActor
@Suite struct `Entering a number` {
  private func store(_ state: PhoneEntryFeature.State = PhoneEntryFeature.State()) -> TestStoreOf<PhoneEntryFeature> {
    TestStore(initialState: state) { PhoneEntryFeature() }
  }

  @Test func `a number of ten digits is valid in the United States, and asks for a code`() async {
    let store = store()
    await store.send(.phoneNumberChanged("2025550123")) {
      $0.phoneNumber = "2025550123"
      $0.isPhoneNumberValid = true
    }
    await store.send(.signInButtonTapped)
    await store.receive(.delegate(.signIn))
  }

  @Test func `an invalid number requests nothing`() async {
    let store = store()
    await store.send(.phoneNumberChanged("202")) { $0.phoneNumber = "202" }
    await store.send(.signInButtonTapped)
  }

  @Test func `another region validates the number again`() async throws {
    let france = try #require(Region(code: "FR"))
    let store = store()
    await store.send(.phoneNumberChanged("0612345678")) {
      $0.phoneNumber = "0612345678"
      $0.isPhoneNumberValid = PhoneValidator.isValid("0612345678", for: .unitedStates)
    }
    await store.send(.regionChanged(france)) {
      $0.selectedRegion = france
      $0.isPhoneNumberValid = true
    }
    await store.send(.phoneNumberChanged("061")) {
      $0.phoneNumber = "061"
      $0.isPhoneNumberValid = false
    }
  }

  @Test func `a complete number that begins with a plus chooses its region`() async throws {
    let unitedKingdom = try #require(Region(code: "GB"))
    let store = store()
    await store.send(.phoneNumberChanged("+44 20 7946")) {
      $0.phoneNumber = "+44 20 7946"
      $0.isPhoneNumberValid = PhoneValidator.isValid("+44 20 7946", for: .unitedStates)
    }
    await store.send(.phoneNumberChanged("+44 20 7946 0958")) {
      $0.phoneNumber = "+44 20 7946 0958"
      $0.selectedRegion = unitedKingdom
      $0.isPhoneNumberValid = true
    }
  }

  @Test func `a delegate's action changes nothing`() async {
    await store().send(.delegate(.signIn))
  }

  @Test(arguments: [
    "", " ", "+", "++", "12", "letters", "1-800-FLOWERS", "call 2025550123 now", "📞", "202📞5550123", "2025550123\0",
    "\0", String(repeating: "5", count: 200), String(repeating: "+", count: 200), "2025550123 ext. 5",
    "2025550123;ext=5", "½½½½½½½½½½", "202555+0123", "\u{301}\u{302}", "tel:2025550123", "-2147483648000000000",
  ])
  func `other text is invalid, and stays as it was typed`(text: String) async {
    #expect(!PhoneValidator.isValid(text, for: .unitedStates))
    let store = store()
    if !text.isEmpty { await store.send(.phoneNumberChanged(text)) { $0.phoneNumber = text } }
    await store.send(.signInButtonTapped)
    _ = store.state.formattedPhoneNumber
  }

  @Test(arguments: [
    "2025550123", "(202) 555-0123", "202.555.0123", "+1 202 555 0123", "1 202 555 0123", "202\u{A0}555\u{2011}0123",
    "\u{202A}+1 202 555 0123\u{202C}", "(+1) 202 555 0123", "٢٠٢٥٥٥٠١٢٣", "２０２５５５０１２３",
  ])
  func `numbers are valid as people write them`(text: String) {
    #expect(PhoneValidator.isValid(text, for: .unitedStates))
  }
}

@Suite struct `Writing a number` {
  @Test(arguments: [
    ("", ""), ("2", "2"), ("202555", "202-555"), ("2025550123", "(202) 555-0123"),
    ("+442079460958", "+44 20 7946 0958"),
    ("٢٠٢٥٥٥٠١٢٣", "(202) 555-0123"),
  ])
  func `it is formatted while typing`(typed: String, written: String) {
    #expect(PhoneFormatter.format(typed, for: .unitedStates) == written)
  }

  @Test(arguments: ["abc", "202abc", "2025550123\0", "📞", String(repeating: "5", count: 200)])
  func `other text stays as it was typed`(text: String) {
    #expect(PhoneFormatter.format(text, for: .unitedStates) == text)
  }

  @Test func `the states of both features format it`() {
    var state = AuthFeature.State()
    state.phoneNumber = "2025550123"
    #expect(state.formattedPhoneNumber == "(202) 555-0123")
    #expect(state.phoneEntry?.formattedPhoneNumber == "(202) 555-0123")
  }
}

@Suite struct `Regions` {
  @Test func `they have names in English and, with Foundation, in all languages, and calling codes`() throws {
    let germany = try #require(Region(code: "DE"))
    #expect(germany.name == "Germany")
    #expect(germany.name(in: Locale(identifier: "de_DE")) == "Deutschland")
    #expect(germany.name(in: Locale(identifier: "en_US")) == "Germany")
    #expect(germany.callingCode == 49)
    #expect(Region.unitedStates.callingCode == 1)
  }

  @Test func `an unknown one has its code for a name, and no calling code`() throws {
    let nowhere = try #require(Region(code: "QX"))
    #expect(nowhere.name == "QX")
    #expect(nowhere.name(in: Locale(identifier: "en_US")) == "QX")
    #expect(nowhere.callingCode == nil)
    #expect(!PhoneValidator.isValid("2025550123", for: nowhere))
  }

  @Test func `all are sorted by name`() throws {
    let names = Region.all.map(\.name)
    #expect(names.count > 200)
    let english = Locale(identifier: "en_US")
    #expect(names == names.sorted { $0.compare($1, options: .caseInsensitive, locale: english) == .orderedAscending })
    let german = Locale(identifier: "de_DE")
    let germanNames = Region.all(in: german).map { $0.name(in: german) }
    let austria = try #require(germanNames.firstIndex(of: "Österreich"))
    #expect(try austria < #require(germanNames.firstIndex(of: "Pakistan")))
  }

  @Test func `each has a name of its own, the one that Foundation has or a plainer one`() {
    let english = Locale.current
    #expect(Set(Region.all.map(\.name)).count == Region.all.count)
    var plainer: [String: String] = [:]
    for region in Region.all where region.name != region.name(in: english).replacing("&", with: "and") {
      plainer[region.code] = region.name
    }
    #expect(
      plainer == [
        "CD": "Congo (Kinshasa)", "CG": "Congo (Brazzaville)", "CN": "China", "IO": "British Indian Ocean Territory",
      ])
  }
}

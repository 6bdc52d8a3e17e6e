import AuthFeature
import Clients
import Composable
import ComposableTesting
import Dependencies
import Testing

@MainActor
@Suite struct `Entering a code` {
  private func store(
    _ state: VerificationFeature.State, clock: (any Clock<Duration>)? = nil
  )
    -> TestStoreOf<VerificationFeature>
  {
    TestStore(initialState: state) {
      VerificationFeature()
    } withDependencies: {
      if let clock { $0.continuousClock = clock }
    }
  }

  private var sent: VerificationFeature.State { VerificationFeature.State(verificationID: "id", resendCodeTimer: 60) }

  @Test(arguments: ["123456", "123 456", "123-456", " 1 2 3 4 5 6 ", "123\u{2013}456", "١٢٣٤٥٦", "123\n456", "１２３４５６"])
  func `six digits are valid, however they are pasted`(text: String) async {
    let store = store(sent)
    await store.send(.verificationCodeChanged(text)) {
      $0.verificationCode = "123456"
      $0.isVerificationCodeValid = true
    }
    await store.send(.verifyButtonTapped)
    await store.receive(.delegate(.verify))
  }

  @Test(arguments: [
    "1", "12345", "1234567", "12345a", "abcdef", "½½½½½½", "ⅧⅧⅧⅧⅧⅧ", "１２３４５", "12345\0", "😀😀😀😀😀😀", "+12345", "-12345",
    "1.2345", "1e5000", "123456\u{301}",
  ])
  func `anything else is invalid, and requests nothing`(text: String) async {
    let store = store(sent)
    store.exhaustivity = .off
    await store.send(.verificationCodeChanged(text))
    #expect(!store.state.isVerificationCodeValid)
    #expect(!store.state.canVerify)
    await store.send(.verifyButtonTapped)
  }

  @Test func `an overlong text is cut, and does not become valid`() async {
    for text in [String(repeating: "1", count: 100_000), "e" + String(repeating: "\u{301}", count: 100_000)] {
      let store = store(sent)
      store.exhaustivity = .off
      await store.send(.verificationCodeChanged(text))
      #expect(store.state.verificationCode.unicodeScalars.count == 16)
      #expect(!store.state.isVerificationCodeValid)
    }
  }

  @Test func `without an id there is nothing to verify`() async {
    let store = store(
      VerificationFeature.State(verificationID: nil, verificationCode: "123456", isVerificationCodeValid: true))
    await store.send(.verifyButtonTapped)
  }

  @Test func `a refused code is erased, and the person stays`() async {
    var typed = sent
    typed.verificationCode = "123456"
    typed.isVerificationCodeValid = true
    let store = store(typed)
    await store.send(.codeRefused) {
      $0.verificationCode = ""
      $0.isVerificationCodeValid = false
    }
  }

  @Test func `another code replaces the first, and clears what was typed for it`() async {
    let store = store(
      VerificationFeature.State(
        verificationID: "first", verificationCode: "123456", isVerificationCodeValid: true, canResendCode: true))
    await store.send(.codeSent(verificationID: "second")) {
      $0 = VerificationFeature.State(verificationID: "second", resendCodeTimer: 60)
    }
  }

  @Test(arguments: [(48, 48), (0, 1), (75, 60)])
  func `a code that is already on its way has the rest of its minute`(known: Int, shown: Int) async {
    let store = TestStore(initialState: VerificationFeature.State()) {
      VerificationFeature()
    } withDependencies: {
      $0.authClient = .mock(secondsUntilResend: { $0 == "id" ? known : nil })
    }
    await store.send(.codeSent(verificationID: "id")) {
      $0 = VerificationFeature.State(verificationID: "id", resendCodeTimer: shown)
    }
  }

  @Test func `back and another code are passed to the parent`() async {
    var ready = sent
    ready.canResendCode = true
    ready.resendCodeTimer = 0
    let store = store(ready)
    await store.send(.resendCodeButtonTapped)
    await store.receive(.delegate(.resend))
    await store.send(.backButtonTapped)
    await store.receive(.delegate(.goBack))
    await store.send(.delegate(.goBack))
  }

  @Test func `another code is not requested during the countdown`() async {
    await store(sent).send(.resendCodeButtonTapped)
  }

  @Test func `alone it counts down by itself`() async {
    let clock = TestClock()
    let store = store(VerificationFeature.State(), clock: clock)
    await store.send(.codeSent(verificationID: "id")) { $0 = sent }
    await clock.advance(by: .seconds(60))
    for second in 1...60 {
      await store.receive(.timerTick) {
        $0.resendCodeTimer = 60 - second
        $0.canResendCode = second == 60
      }
    }
  }

  @Test func `a late tick, and one at zero, change nothing`() async {
    let store = store(VerificationFeature.State(verificationID: "id", canResendCode: true, resendCodeTimer: 0))
    await store.send(.timerTick)
    await store.send(.timerTick)
  }

  @Test func `an unused code is erased after ten minutes`() async {
    let clock = TestClock()
    let store = store(sent, clock: clock)
    await store.send(.verificationCodeChanged("123456")) {
      $0.verificationCode = "123456"
      $0.isVerificationCodeValid = true
    }
    await clock.advance(by: .seconds(599))
    await store.send(.verificationCodeChanged("12345")) {
      $0.verificationCode = "12345"
      $0.isVerificationCodeValid = false
    }
    await clock.advance(by: .seconds(599))
    // It counts from the last key: the first one's timer did nothing.
    await store.send(.timerTick) { $0.resendCodeTimer = 59 }
    await clock.advance(by: .seconds(1))
    await store.receive(.codeExpired) { $0.verificationCode = "" }
  }

  @Test func `without a typed code no timer runs`() async {
    let store = store(sent, clock: TestClock())
    await store.send(.verificationCodeChanged("1")) { $0.verificationCode = "1" }
    await store.send(.verificationCodeChanged("")) { $0.verificationCode = "" }
    await store.finish()
  }
}

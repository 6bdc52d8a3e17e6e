import Composable
import Dependencies
import Foundation
import LifeSignalFeatures
import SystemKit
import Testing

@testable import TerminalScreen

/// A screen with a test's clients: a device whose disk always works.
@MainActor final class ScreenUnderTest {
  let store: StoreOf<ScreenFeature>
  let clock = TestClock()
  let device: DeviceUnderTest
  private let scheduler = EffectScheduler()
  /// Monotonic milliseconds. The effects' clock moves with them.
  private(set) var now: Int64 = 1_000_000

  init(_ device: DeviceUnderTest = DeviceUnderTest()) {
    self.device = device
    let clock = clock
    store = Store(
      initialState: ScreenFeature.State(), reducer: { ScreenFeature() },
      withDependencies: {
        $0.continuousClock = clock
        $0.date = .constant(DeviceUnderTest.noon)
        $0.alertClient = device.alertClient
        $0.authClient = device.authClient
        $0.contactClient = .mock(list: { device.contacts })
        $0.responderClient = device.responderClient
        $0.notificationClient = .mock(
          notifyRespondersOfAlert: {}, notifyRespondersOfAlertDeactivation: {})
        $0.serverSettings = ServerSettings { true }
        $0.backgroundSending = BackgroundSending { device.startBackground() }
      }, recorder: nil, scheduler: scheduler)
  }

  var state: ScreenFeature.State { store.state }

  /// The shown text on a terminal of 80×24.
  var text: String { Sample.text(ScreenModel(state, now: DeviceUnderTest.noon.addingTimeInterval(754))) }

  func send(_ action: ScreenFeature.Action) async {
    store.send(action)
    await scheduler.settle()
  }

  func press(_ keys: Key...) async {
    for key in keys { await send(.key(key, atMilliseconds: now)) }
  }

  func type(_ text: String) async {
    for character in text { await send(.key(.character(character), atMilliseconds: now)) }
  }

  func wait(milliseconds: Int64) async {
    now += milliseconds
    await clock.advance(by: .milliseconds(milliseconds))
    await scheduler.settle()
  }

  /// Holds a key for about `milliseconds`, on a keyboard that repeats 25 times a second after half a second.
  func hold(_ key: Key = .space, milliseconds: Int64) async {
    await press(key)
    await wait(milliseconds: 500)
    for _ in 0..<((milliseconds - 500) / 40) {
      await press(key)
      await wait(milliseconds: 40)
    }
  }
}

/// The state behind a screen's clients.
final class DeviceUnderTest: Sendable {
  /// 2026-11-21 12:00:00 UTC.
  static let noon = Date(timeIntervalSince1970: 1_795_262_400)

  private let active = Lock(false)
  private let raisedCount = Lock(0)
  private let sentUpdates = Lock<[String]>([])
  private let givenAnswers = Lock<[String]>([])
  private let backgroundCount = Lock(0)
  let history: [AlertRecord]
  let contacts: [SavedContact]
  let isSignedIn: Bool
  /// Nothing can be saved.
  let isBroken: Bool
  /// Unsaved alerts are sent from memory.
  let isSentUnsaved: Bool
  /// Nothing can be read.
  let isUnreadable: Bool
  /// Signing out fails.
  let keepsSession: Bool
  /// What becomes of the process in the background.
  let background: BackgroundSending.Outcome
  /// For how long the device works for a code, which never comes.
  let workSeconds: Int?

  init(
    isActive: Bool = false, isSignedIn: Bool = false, isBroken: Bool = false, isSentUnsaved: Bool = false,
    isUnreadable: Bool = false, keepsSession: Bool = false, background: BackgroundSending.Outcome = .switchedOff,
    workSeconds: Int? = nil, history: [AlertRecord] = [], contacts: [SavedContact] = []
  ) {
    self.isBroken = isBroken
    self.isSentUnsaved = isSentUnsaved
    self.isUnreadable = isUnreadable
    self.keepsSession = keepsSession
    self.background = background
    self.workSeconds = workSeconds
    self.isSignedIn = isSignedIn
    self.history = history
    self.contacts = contacts
    active.withLock { $0 = isActive }
  }

  var isActive: Bool { active.withLock { $0 } }
  /// What was told of the alerts of others: "seen", or the answer and its line.
  var answers: [String] { givenAnswers.withLock { $0 } }
  /// The messages and places that were sent.
  var updates: [String] { sentUpdates.withLock { $0 } }
  /// How often the process in the background was asked for.
  var backgroundStarts: Int { backgroundCount.withLock { $0 } }

  fileprivate func startBackground() -> BackgroundSending.Outcome {
    backgroundCount.withLock { $0 += 1 }
    return background
  }

  var alertsRaised: Int { raisedCount.withLock { $0 } }

  var alertClient: AlertClient {
    .mock(
      activateAlert: { [self] in
        if isBroken { throw isSentUnsaved ? Broken.sent : Broken.notSent }
        active.withLock { $0 = true }
        raisedCount.withLock { $0 += 1 }
        return Self.noon
      },
      deactivateAlert: { [self] in
        active.withLock { $0 = false }
        return Self.noon.addingTimeInterval(754)
      },
      updateAlert: { [self] message, location in
        let place = location.map { "\($0.latitude),\($0.longitude)" } ?? "-"
        sentUpdates.withLock { $0.append("\(message ?? "-") @ \(place)") }
      },
      getAlertHistory: { [self] in history },
      getAlertStatus: { [self] in
        if isUnreadable { throw Unreadable() }
        return AlertSnapshot(isActive: isActive, startTime: isActive ? Self.noon : nil)
      },
      snapshots: { AsyncStream { _ in } })
  }

  var responderClient: ResponderClient {
    .mock(
      alerts: { AsyncStream { _ in } },
      respond: { [self] _, answer, text in
        if isBroken { throw Unreadable() }
        givenAnswers.withLock { $0.append("\(answer.rawValue) \(text ?? "-")") }
      },
      noteSeen: { [self] _ in givenAnswers.withLock { $0.append("seen") } })
  }

  var authClient: AuthClient {
    .mock(
      isAuthenticated: { [self] in isSignedIn },
      sendVerificationCode: { [self] _, _ in
        guard workSeconds != nil else { return "verification" }
        let (stream, continuation) = AsyncStream<Never>.makeStream()
        for await _ in stream {}
        withExtendedLifetime(continuation) {}
        throw CancellationError()
      },
      verifyCode: { code, _ in if code != "123456" { throw WrongCode() } },
      signOut: { [self] _ in if keepsSession { throw Unreadable() } },
      authenticationStates: { [self] in
        AsyncStream {
          $0.yield(isSignedIn)
        }
      },
      signOutLosses: { SignOutLosses() },
      codeWork: { [workSeconds] in AsyncStream { if let workSeconds { $0.yield(workSeconds) } } })
  }

  enum Broken: AlertSavingError, LocalizedError {
    case notSent, sent
    var savingFailure: AlertSavingFailure? { self == .sent ? .sentNotSaved : .notSaved }
    var errorDescription: String? {
      self == .sent ? "Help was called, and this device could not save it." : "The alert was NOT saved."
    }
  }

  struct Unreadable: LocalizedError {
    var errorDescription: String? { "The folder is read-only." }
  }

  struct WrongCode: ServerRequestError, LocalizedError {
    var isRefusal: Bool { true }
    var errorDescription: String? { "This is not the code." }
  }
}

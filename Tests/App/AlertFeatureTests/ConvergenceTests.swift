import AlertFeature
import AppModel
import Clients
import Composable
import Dependencies
import Foundation
import Model
import SystemKit
import TestSupport
import Testing

/// The feature on a device that other processes also use, with delayed answers.
@MainActor @Suite struct ConvergenceTests {
  @Test func `In any order of taps, holds, failures and other processes, the screen finally shows the device's state`()
    async
  {
    for seed in UInt64(1)...150 {
      let device = Device(seed: seed)
      let (clock, scheduler) = (TestClock(), EffectScheduler())
      let store = store(of: device, clock, scheduler)
      var random = SeededRandom(seed: seed)
      store.send(.appBecameActive)
      for _ in 0..<40 {
        await step(store, device, clock, &random)
        if Bool.random(using: &random) { await scheduler.settle() }
      }
      if !store.isFollowingAlert { store.send(.appBecameActive) }
      store.send(.deactivationHoldEnded)
      await clock.advance(by: .seconds(4))
      await scheduler.settle()
      let truth = device.snapshot
      #expect(store.isAlertActive == truth.isActive, "seed \(seed)")
      #expect(store.alertStartTime == truth.startTime, "seed \(seed)")
      #expect(store.alertEndTime == truth.endTime, "seed \(seed)")
      #expect(store.delivery == truth.delivery, "seed \(seed)")
      #expect(store.alertHistory == device.history, "seed \(seed)")
      #expect(store.canActivateAlert != store.canDeactivateAlert, "seed \(seed): an answer never came")
      #expect(store.activationProgress == 0 && store.deactivationProgress == 0, "seed \(seed)")
      store.cancelEffects()
      await scheduler.settle()
    }
  }

  private func store(
    of device: Device, _ clock: TestClock, _ scheduler: EffectScheduler
  ) -> StoreOf<AlertFeature> {
    Store(
      initialState: AlertFeature.State(), reducer: { AlertFeature() },
      withDependencies: {
        $0.context = .test
        $0.alertClient = device.client
        $0.notificationClient = .mock(notifyRespondersOfAlert: {}, notifyRespondersOfAlertDeactivation: {})
        $0.continuousClock = clock
      },
      recorder: StoreRecorder(
        reduced: { action, _, state in
          #expect(!(state.isAlertActive && state.isActivatingAlert), "active and activating after \(action)")
          #expect(state.isAlertActive || !state.isDeactivatingAlert, "ending what is not active after \(action)")
        }, effectEnded: {}), scheduler: scheduler)
  }

  private func step(
    _ store: StoreOf<AlertFeature>, _ device: Device, _ clock: TestClock, _ random: inout SeededRandom
  ) async {
    switch Int.random(in: 0..<18, using: &random) {
    case 0..<6: store.send(.alertButtonTapped)
    case 6: store.send(.deactivationHoldBegan)
    case 7: store.send(.deactivationHoldEnded)
    case 8: store.send(.alertDeactivationProgressChanged(1))
    case 9: store.send(.alertDeactivationButtonTapped)
    case 10: store.send(.confirmationAlert(.presented(.deactivateAlertConfirmed)))
    case 11: store.send(random.pick([.appBecameActive, .appBecameInactive, .task]))
    case 12: device.raise()
    case 13: device.end()
    case 14: device.discard()
    case 15, 16: store.send(.loadAlertStatus)
    default: await clock.advance(by: .milliseconds(Int.random(in: 0..<3500, using: &random)))
    }
  }
}

/// One device's alerts, used by the feature and by other processes.
private final class Device: Sendable {
  private struct State {
    var random: SeededRandom
    var history: [AlertRecord] = []
    var lastID = 0
    /// Including ended ones: a stream's own lock is held while its end is delivered, and ours while a value is yielded.
    var readers: [AsyncStream<AlertSnapshot>.Continuation] = []
  }

  private let state: Lock<State>

  init(seed: UInt64) {
    state = Lock(State(random: SeededRandom(seed: ~seed)))
  }

  var history: [AlertRecord] { state.withLock { $0.history } }
  var snapshot: AlertSnapshot { state.withLock { Self.snapshot($0) } }

  private static func snapshot(_ state: State) -> AlertSnapshot {
    guard let newest = state.history.first else { return AlertSnapshot() }
    return AlertSnapshot(
      isActive: newest.isActive, startTime: newest.startTime, endTime: newest.endTime,
      delivery: AlertDelivery(savedAt: newest.startTime))
  }

  @discardableResult
  func raise() -> Date {
    change { state in
      if let active = state.history.first, active.isActive { return active.startTime }
      state.lastID += 1
      let startTime = start.addingTimeInterval(Double(state.lastID))
      let id = AlertID(versionSevenAt: Timestamp(startTime), random: (0, 0))
      state.history.insert(AlertRecord(id: id, startTime: startTime, userId: ""), at: 0)
      return startTime
    }
  }

  @discardableResult
  func end() -> Date? {
    change { state in
      guard let active = state.history.first, active.isActive else { return nil }
      state.lastID += 1
      let endTime = start.addingTimeInterval(Double(state.lastID))
      state.history[0].endTime = endTime
      state.history[0].isActive = false
      return endTime
    }
  }

  /// Removes the newest, as a sign-out does.
  func discard() {
    change { state in
      if !state.history.isEmpty { state.history.removeFirst() }
    }
  }

  private func change<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
    state.withLock { state in
      let result = body(&state)
      for reader in state.readers { reader.yield(Self.snapshot(state)) }
      return result
    }
  }

  /// Yields a few times, and fails occasionally.
  private func delay(mayFail: Bool = true, upTo limit: Int = 5) async throws {
    let (count, fails) = state.withLock {
      (Int.random(in: 0...limit, using: &$0.random), Int.random(in: 0..<5, using: &$0.random) == 0)
    }
    for _ in 0..<count { await Task.yield() }
    if fails && mayFail { throw DiskFull() }
  }

  var client: AlertClient {
    AlertClient(
      activateAlert: {
        try await self.delay()
        let startTime = self.raise()
        try await self.delay(mayFail: false)
        return startTime
      },
      deactivateAlert: {
        try await self.delay()
        guard let endTime = self.end() else { throw DiskFull() }
        try await self.delay(mayFail: false)
        return endTime
      },
      updateAlert: { _, _ in try await self.delay() },
      getAlertHistory: {
        let history = self.history
        try await self.delay(mayFail: false)
        return history
      },
      getAlertStatus: {
        let snapshot = self.snapshot
        try await self.delay(upTo: 40)
        return snapshot
      },
      snapshots: { self.snapshots() })
  }

  private func snapshots() -> AsyncStream<AlertSnapshot> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      state.withLock { state in
        state.readers.append(continuation)
        continuation.yield(Self.snapshot(state))
      }
    }
  }
}

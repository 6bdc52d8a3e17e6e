import AlertFeature
import AppModel
import Clients
import ComposableTesting
import Dependencies
import Foundation
import SystemKit
import Testing

@MainActor @Suite struct HoldTests {
  @Test func `A hold of three seconds ends the alert, and one of 2.9 does not`() async {
    let clock = TestClock()
    let store = makeStore(.active) {
      $0.continuousClock = clock
      $0.alertClient = .mock(deactivateAlert: { end })
    }
    await store.send(.deactivationHoldBegan) { $0.isHoldingDeactivation = true }
    for tick in 1...29 {
      await clock.advance(by: .milliseconds(100))
      await store.receive(.alertDeactivationProgressChanged(Double(tick) / 30)) {
        $0.deactivationProgress = Double(tick) / 30
      }
    }
    await clock.advance(by: .milliseconds(99))
    // A tick by now would fail this as not received.
    await store.send(.timerTick)
    await clock.advance(by: .milliseconds(1))
    await store.receive(.alertDeactivationProgressChanged(1)) {
      $0.deactivationProgress = 1
      $0.isDeactivatingAlert = true
      $0.isHoldingDeactivation = false
    }
    await store.receive(.alertDeactivationResponse(.success(end))) {
      $0.isDeactivatingAlert = false
      $0.deactivationProgress = 0
      $0.isAlertActive = false
      $0.alertEndTime = end
    }
    // The key is released long after.
    await store.send(.deactivationHoldEnded)
    await store.finish()
  }

  @Test func `Releasing early starts over`() async {
    let clock = TestClock()
    let store = makeStore(.active) { $0.continuousClock = clock }
    store.exhaustivity = .off
    for _ in 1...3 {
      await store.send(.deactivationHoldBegan)
      await clock.advance(by: .milliseconds(2900))
      await store.skipReceivedActions()
      #expect(store.state.deactivationProgress == 29.0 / 30)
      await store.send(.deactivationHoldEnded)
      #expect(store.state.deactivationProgress == 0)
      #expect(!store.state.isHoldingDeactivation)
    }
    store.exhaustivity = .on
    await clock.advance(by: .seconds(10))
    await store.finish()
  }

  @Test func `Key repeats neither restart the hold nor shorten it`() async {
    let clock = TestClock()
    let store = makeStore(.active) {
      $0.continuousClock = clock
      $0.alertClient = .mock(deactivateAlert: { end })
    }
    store.exhaustivity = .off
    for _ in 0..<100 {
      await store.send(.deactivationHoldBegan)
      await clock.advance(by: .milliseconds(29))
    }
    await store.skipReceivedActions()
    #expect(store.state.deactivationProgress == 29.0 / 30)
    await clock.advance(by: .milliseconds(100))
    await store.receive(.alertDeactivationResponse(.success(end)))
    await store.finish()
  }

  @Test(arguments: [AlertFeature.State(), .activating, .deactivating])
  func `Without an alert to end a hold does nothing`(state: AlertFeature.State) async {
    let store = makeStore(state)
    await store.send(.deactivationHoldBegan)
    await store.send(.deactivationHoldEnded)
    await store.finish()
  }

  @Test func `A release without a hold does nothing`() async {
    let store = makeStore(.active)
    await store.send(.deactivationHoldEnded)
    await store.send(.alertDeactivationProgressChanged(0.4)) { $0.deactivationProgress = 0.4 }
    await store.send(.deactivationHoldEnded) { $0.deactivationProgress = 0 }
  }

  @Test(arguments: [AlertSnapshot.ended(), .active(end)])
  func `A hold does not continue on another alert, nor after the end of its own`(snapshot: AlertSnapshot) async {
    let clock = TestClock()
    let store = makeStore(.active) {
      $0.continuousClock = clock
      $0.alertClient = .mock(getAlertHistory: { [] })
    }
    store.exhaustivity = .off
    await store.send(.deactivationHoldBegan)
    await clock.advance(by: .milliseconds(2900))
    await store.send(.alertSnapshotChanged(snapshot))
    #expect(store.state.deactivationProgress == 0)
    #expect(!store.state.isHoldingDeactivation)
    await clock.advance(by: .seconds(10))
    await store.skipReceivedActions()
    #expect(store.state.isAlertActive == snapshot.isActive)
    await store.finish()
  }

  @Test func `Updates of the same alert do not interrupt the hold`() async {
    let clock = TestClock()
    let store = makeStore(.active) {
      $0.continuousClock = clock
      $0.alertClient = .mock(deactivateAlert: { end }, getAlertHistory: { [] })
    }
    store.exhaustivity = .off
    await store.send(.deactivationHoldBegan)
    await clock.advance(by: .milliseconds(2900))
    await store.send(.alertSnapshotChanged(.active(acceptedAt: end)))
    await clock.advance(by: .milliseconds(100))
    await store.receive(.alertDeactivationResponse(.success(end)))
    await store.finish()
  }

  @Test func `An app that becomes inactive releases the hold`() async {
    let clock = TestClock()
    let store = makeStore(.active) { $0.continuousClock = clock }
    store.exhaustivity = .off
    await store.send(.deactivationHoldBegan)
    await clock.advance(by: .milliseconds(2900))
    await store.send(.appBecameInactive)
    #expect(store.state.deactivationProgress == 0)
    store.exhaustivity = .on
    await clock.advance(by: .seconds(10))
    await store.finish()
  }

  @Test func `Sleep does not finish a hold: ticks are counted, not time`() async {
    let store = makeStore(.active) { $0.continuousClock = ClockThatSlept() }
    await store.send(.deactivationHoldBegan) { $0.isHoldingDeactivation = true }
    await store.receive(.alertDeactivationProgressChanged(1.0 / 30)) { $0.deactivationProgress = 1.0 / 30 }
    await store.send(.deactivationHoldEnded) {
      $0.isHoldingDeactivation = false
      $0.deactivationProgress = 0
    }
    await store.finish()
  }
}

/// Wakes from its first sleep an hour late, and never from the next.
private final class ClockThatSlept: Clock {
  private let time = Lock(VirtualInstant())

  var now: VirtualInstant { time.withLock { $0 } }
  var minimumResolution: Duration { .zero }

  func sleep(until deadline: VirtualInstant, tolerance: Duration?) async throws {
    let isFirst = time.withLock { time in
      guard time == VirtualInstant() else { return false }
      time = deadline.advanced(by: .seconds(3600))
      return true
    }
    guard !isFirst else { return }
    try await Answer<Void>().wait()
  }
}

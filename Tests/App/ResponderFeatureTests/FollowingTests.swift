import AppModel
import Clients
import Composable
import ComposableTesting
import Dependencies
import Foundation
import Model
import Testing

@testable import ResponderFeature

@MainActor @Suite struct `Received alerts` {
  private let feed = Feed()
  private let alert = ReceivedAlert.of()

  @Test func `are followed until the app goes to the background`() async {
    let store = makeStore(ResponderFeature.State(), .mock(alerts: feed.alerts))
    await store.send(.appBecameActive) { $0.isFollowing = true }
    feed.give([alert])
    await store.receive(.alertsChanged([alert])) { [alert] in
      $0.alerts = [alert]
      $0.callCount = 1
      $0.calls = [alert.id: .init(alert)]
    }
    await store.send(.appBecameInactive) { $0.isFollowing = false }
    await store.finish()
  }

  @Test func `are followed again after their stream ended, with backoff, and are stale meanwhile`() async {
    let clock = TestClock()
    let store = makeStore(ResponderFeature.State(), .mock(alerts: feed.alerts), clock: clock)
    await store.send(.task) { $0.isFollowing = true }
    feed.end()
    await store.receive(.alertsEnded) { $0.isStale = true }
    await clock.advance(by: .seconds(1))
    feed.end()
    await store.receive(.alertsEnded)
    await clock.advance(by: .seconds(1))
    #expect(feed.count == 2)
    await clock.advance(by: .seconds(1))
    feed.give([])
    await store.receive(.alertsChanged([])) { $0.isStale = false }
    #expect(feed.count == 3)
    await store.send(.appBecameInactive) { $0.isFollowing = false }
    await store.finish()
  }

  @Test func `that are gone close what shows them`() async {
    let store = makeStore(ResponderFeature.State(alerts: [alert], selectedID: alert.id, answerText: "soon"))
    await store.send(.alertsChanged([])) {
      $0.alerts = []
      $0.selectedID = nil
      $0.answerText = ""
    }
  }

  @Test func `call once when they are new, and once each time they ask again`() async {
    let store = makeStore()
    store.exhaustivity = .off
    func count(_ alerts: ReceivedAlert...) async -> Int {
      await store.send(.alertsChanged(alerts))
      return store.state.callCount
    }
    #expect(await count(alert) == 1)
    #expect(await count(alert) == 1)
    #expect(await count(.of { $0.message = "fell" }) == 1, "a message is no call")
    #expect(await count(.of { $0.askedAgain = 1 }) == 2)
    #expect(await count(.of { $0.askedAgain = 1 }, .of(2)) == 3)
    #expect(await count(.of { $0.endTime = start }, .of(2)) == 3)
  }

  @Test func `that were answered call only for a confirmation`() async {
    let store = makeStore()
    store.exhaustivity = .off
    func count(_ change: (inout ReceivedAlert) -> Void) async -> Int {
      var alert = ReceivedAlert.answered(.responding)
      change(&alert)
      await store.send(.alertsChanged([alert]))
      return store.state.callCount
    }
    #expect(await count { _ in } == 0)
    #expect(await count { $0.askedAgain = 3 } == 0)
    #expect(await count { $0.isAskedToConfirm = true } == 1)
    #expect(await count { $0.isAskedToConfirm = true } == 1)
    #expect(await count { _ in } == 1)
    #expect(await count { $0.isAskedToConfirm = true } == 2)
  }

  @Test func `have a most urgent one: danger before drills, unanswered before answered`() {
    func urgent(_ alerts: ReceivedAlert...) -> ReceivedAlert.ID? {
      ResponderFeature.State(alerts: alerts).mostUrgent?.id
    }
    let drill = ReceivedAlert.of(3) { $0.isDrill = true }
    let ended = ReceivedAlert.of(4) { $0.endTime = start }
    #expect(urgent(drill, .answered(.cannot, 2), alert, ended) == alert.id)
    #expect(urgent(drill, .answered(.cannot), ended) == alert.id)
    #expect(urgent(drill, ended) == drill.id)
    #expect(urgent(ended) == nil)
  }
}

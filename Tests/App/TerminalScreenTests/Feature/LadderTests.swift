import Foundation
import LifeSignalFeatures
import Testing

@testable import TerminalScreen

@Suite struct `The delivery ladder` {
  private let start = DeviceUnderTest.noon

  private func rows(_ change: (inout ScreenFeature.State) -> Void) -> [String] {
    var state = ScreenFeature.State()
    state.alert.alertStartTime = start
    state.alert.isAlertActive = true
    change(&state)
    return LadderRow.rows(state, ClockText(now: start, zone: .gmt)).map {
      "\($0.mark) \($0.name): \($0.text)" + ($0.time.map { " @\($0)" } ?? "")
    }
  }

  private func delivery(_ name: String, _ state: DeliveryState, _ reason: String? = nil) -> ResponderDelivery {
    ResponderDelivery(
      id: .sample(1), name: name, channel: "webhook", state: state, at: start.addingTimeInterval(5), reason: reason)
  }

  @Test func `a state is shown when it is reached, and not earlier`() {
    #expect(
      rows { _ in } == ["reached raised: saved here @12:00:00", "waiting accepted: not yet: nobody is signed in"])
    #expect(
      rows {
        $0.auth.isAuthenticated = true
        $0.responders = ["Ana"]
      } == ["reached raised: saved here @12:00:00", "waiting accepted: not yet", "waiting Ana: not told yet"])
  }

  @Test func `each responder has a row, with the reason of a failure`() {
    let shown = rows {
      $0.responders = ["Ana", "Ben", "Cleo", "Dan", "Eve", "Fay"]
      $0.alert.delivery = AlertDelivery(
        savedAt: start, acceptedAt: start.addingTimeInterval(1),
        responders: [
          delivery("Ana", .queued, "busy"), delivery("Ben", .sent), delivery("Cleo", .seen),
          delivery("Dan", .acknowledged), delivery("Eve", .failed, "gone"),
        ])
    }
    #expect(
      shown.dropFirst(1) == [
        "reached accepted: by the server @12:00:01",
        "waiting Ana: waiting to be sent by webhook: busy @12:00:05",
        "reached Ben: sent by webhook @12:00:05",
        "reached Cleo: seen @12:00:05",
        "responding Dan: IS RESPONDING @12:00:05",
        "failed Eve: FAILED by webhook: gone @12:00:05",
        "waiting Fay: waiting for the server",
      ])
  }

  @Test func `another active alert has a row, and the status counts them`() {
    var state = ScreenFeature.State()
    state.alert.alertStartTime = start
    state.alert.isAlertActive = true
    state.alert.snapshot.otherActive = [
      ActiveAlert(id: .sample(2), startTime: start.addingTimeInterval(60), message: "in the hut")
    ]
    let rows = LadderRow.rows(state, ClockText(now: start, zone: .gmt))
    #expect(rows.contains { $0.name == "also active" && $0.text == "in the hut" && $0.time == "12:01:00" })
    #expect(ScreenModel(state, now: start).status.text.hasPrefix("2 ALERTS ACTIVE since"))
  }

  @Test func `it is prominent that nobody is told`() {
    #expect(rows { $0.responders = [] }.last?.hasPrefix("failed responders: NONE: nobody is told.") == true)
  }

  @Test func `a responder without a channel is shown as not told`() {
    let shown = rows {
      $0.alert.delivery = AlertDelivery(
        savedAt: start, acceptedAt: start,
        responders: [
          ResponderDelivery(
            id: .sample(1), name: "Ana", channel: Channel.Kind.noChannel.rawValue, state: .failed, at: start,
            reason: "no channel")
        ])
    }
    #expect(shown.last == "failed Ana: NOT TOLD: no way to reach Ana. @12:00:00")
  }

  @Test func `a late alert says so`() {
    let shown = rows {
      $0.alert.delivery = AlertDelivery(savedAt: start, acceptedAt: start.addingTimeInterval(7200), isLate: true)
    }
    #expect(shown[1] == "reached accepted: by the server, late: raised 12:00 @14:00:00")
  }

  @Test func `an end that the server may not know is not shown as reached`() {
    let shown = rows {
      $0.alert.isAlertActive = false
      $0.alert.alertEndTime = start.addingTimeInterval(60)
      $0.alert.delivery = AlertDelivery(savedAt: start, acceptedAt: start)
      $0.alert.connection.pendingCount = 1
    }
    #expect(shown.last == "waiting ended: saved here, not confirmed by the server yet @12:01:00")
  }

  @Test func `after the end the "safe" notices follow`() {
    let shown = rows {
      $0.alert.isAlertActive = false
      $0.alert.alertEndTime = start.addingTimeInterval(60)
      $0.responders = ["Ana"]
      $0.alert.delivery = AlertDelivery(
        savedAt: start, acceptedAt: start, responders: [delivery("Ana", .sent)], safeNotices: [delivery("Ana", .queued)]
      )
    }
    #expect(
      shown.dropFirst(2) == [
        "reached Ana: sent by webhook @12:00:05", "reached ended: saved here @12:01:00",
        "waiting Ana: “safe now” waiting to be sent by webhook @12:00:05",
      ])
  }
}

@Suite struct `The connection` {
  private func connection(_ change: (inout ScreenFeature.State) -> Void) -> ScreenModel.Connection {
    var state = ScreenFeature.State()
    change(&state)
    return ScreenModel(state, now: DeviceUnderTest.noon).connection
  }

  @Test func `shows what is known, and nothing better`() {
    let noon = DeviceUnderTest.noon
    #expect(connection { _ in } == .notSignedIn)
    #expect(connection { $0.lacksServer = true } == .notSetUp)
    #expect(connection { $0.auth.isAuthenticated = true } == .unknown)
    #expect(
      connection {
        $0.auth.isAuthenticated = true
        $0.alert.connection.lastSuccessAt = noon.addingTimeInterval(-30)
      } == .connected)
    let quiet = connection {
      $0.auth.isAuthenticated = true
      $0.alert.connection.lastSuccessAt = noon.addingTimeInterval(-300)
    }
    guard case .quiet = quiet else {
      Issue.record("\(quiet)")
      return
    }
    for (lostAt, isConnected) in [(-10, false), (-40, true)] as [(Double, Bool)] {
      let shown = connection {
        $0.auth.isAuthenticated = true
        $0.alert.connection.lastSuccessAt = noon.addingTimeInterval(-30)
        $0.streamLostAt = noon.addingTimeInterval(lostAt)
      }
      #expect((shown == .connected) == isConnected, "an exchange after the break says that the server is there")
    }
    #expect(
      connection {
        $0.auth.isAuthenticated = true
        $0.alert.connection.lastError = "refused"
      } == .lost(since: nil, reason: "refused"))
  }
}

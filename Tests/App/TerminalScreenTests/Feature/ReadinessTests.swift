import Foundation
import LifeSignalFeatures
import Testing

@testable import TerminalScreen

@Suite struct `The screen at rest` {
  private let noon = DeviceUnderTest.noon

  private func model(
    _ readiness: LifeSignalClient.Status.Readiness?, isActive: Bool = false, isDrill: Bool = false,
    _ states: DeliveryState...
  ) -> ScreenModel {
    var state = ScreenFeature.State()
    state.auth.isAuthenticated = true
    state.alert.isAlertActive = isActive
    state.alert.isDrill = isDrill
    state.alert.alertStartTime = isActive ? noon : nil
    state.alert.snapshot.readiness = readiness
    state.alert.delivery = AlertDelivery(
      savedAt: noon,
      responders: states.enumerated().map { number, state in
        ResponderDelivery(id: .sample(UInt64(number)), name: "Ana", channel: "sms", state: state, at: noon)
      })
    return ScreenModel(state, now: noon)
  }

  @Test func `says whether an alert would reach anybody`() {
    let ready = model(LifeSignalClient.Status.Readiness(responders: 3, tested: 3, obstacle: nil))
    #expect(ready.readiness == StatusLine(text: "READY: 3 responders, tested", style: .good))
    #expect(Sample.text(ready).contains("\n READY: 3 responders, tested\n"))
    let untested = model(LifeSignalClient.Status.Readiness(responders: 3, obstacle: .untested))
    #expect(
      Sample.text(untested).contains("\n NOT READY: nobody would be told (no responder has a tested channel)\n"))
    #expect(Sample.text(untested, columns: 36, rows: 10).contains("NOT READY: nobody would be told"))
    #expect(model(nil).readiness == nil)
  }

  @Test func `says in a drill's own words that nobody would be told of it`() {
    func notice(isDrill: Bool, mayBeToldByApp: Bool = false) -> StatusLine? {
      var state = ScreenFeature.State()
      state.auth.isAuthenticated = true
      state.alert.isAlertActive = true
      state.alert.isDrill = isDrill
      state.alert.alertStartTime = noon
      state.alert.delivery = AlertDelivery(savedAt: noon, nobodyIsTold: "you have no responders")
      state.alert.delivery?.mayBeToldByApp = mayBeToldByApp
      return ScreenModel(state, now: noon).notice
    }
    #expect(
      notice(isDrill: true)
        == StatusLine(text: "DRILL: NOBODY WOULD BE TOLD: you have no responders.", style: .warning))
    #expect(notice(isDrill: false)?.text.hasPrefix("NOBODY WILL BE TOLD: you have no responders.") == true)
    let byApp = notice(isDrill: false, mayBeToldByApp: true)
    #expect(byApp?.text == "NOBODY MAY BE TOLD: you have no responders. Call for help another way now.")
    #expect(notice(isDrill: true, mayBeToldByApp: true)?.text == "DRILL: NOBODY MAY BE TOLD: you have no responders.")
  }

  @Test func `does not say that no alert is active where a saved one cannot be read`() {
    var state = ScreenFeature.State()
    state.auth.isAuthenticated = true
    state.alert.snapshot.unreadableAlert = "a file cannot be read"
    let model = ScreenModel(state, now: noon)
    #expect(model.status.text == "Whether an alert is active cannot be read.")
    #expect(model.notice?.text == "A saved alert cannot be read, and may be active: a file cannot be read")
  }

  @Test func `names whom the server cannot reach by all of their channels, where the line does not say so`() {
    var readiness = LifeSignalClient.Status.Readiness(responders: 3, tested: 1, obstacle: nil)
    #expect(model(readiness).notice == nil)
    readiness.unsupportedNames = ["Ana", "Ben"]
    let line = "This server cannot use a channel of Ana, Ben. See: lifesignal contacts list"
    #expect(model(readiness).notice == StatusLine(text: line, style: .warning))
    #expect(model(readiness, isActive: true, .sent).notice == nil)
    readiness.obstacle = .unsupported
    #expect(model(readiness).notice == nil)
  }

  @Test func `gives the history one row less for it`() {
    let size = ScreenSize(columns: 80, rows: 24)
    let rows = ScreenView.historyRows(model(nil), size: size)
    #expect(ScreenView.historyRows(model(LifeSignalClient.Status.Readiness()), size: size) == rows - 1)
  }

  @Test func `gives way to an active alert, which says first that perhaps nobody is told`() {
    let untested = LifeSignalClient.Status.Readiness(responders: 1, obstacle: .untested)
    let doubtful = model(untested, isActive: true, .queued)
    #expect(doubtful.readiness == nil)
    #expect(doubtful.notice?.text.hasPrefix("NOBODY MAY BE TOLD: no responder has a tested channel.") == true)
    #expect(doubtful.notice?.style == .bad)
    #expect(model(untested, isActive: true, .sent).notice == nil, "a message was sent")
    #expect(model(untested, isActive: true, isDrill: true, .queued).notice == nil)
  }
}

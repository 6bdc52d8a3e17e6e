import AlertFeature
import AppModel
import Clients
import Composable
import ComposableTesting
import Dependencies
import Foundation
import Model
import Testing

@MainActor @Suite struct ReadingTests {
  private let records = [
    AlertRecord(
      id: AlertID(versionSevenAt: Timestamp(start), random: (1, 2)), startTime: start, endTime: end, userId: "")
  ]

  @Test func `The status shows whether an alert is active and since when, and keeps an unread error`() async {
    let store = makeStore(.init(alertStartTime: .distantPast, alertEndTime: start, error: "unread")) {
      $0.alertClient = .mock(getAlertStatus: { AlertSnapshot(isActive: true, startTime: start) })
    }
    await store.send(.loadAlertStatus)
    await store.receive(.alertStatusResponse(.success(AlertSnapshot(isActive: true, startTime: start)))) {
      $0.isAlertActive = true
      $0.alertStartTime = start
      $0.alertEndTime = nil
    }
  }

  @Test func `An unreadable status is reported`() async {
    let store = makeStore(.active) {
      $0.alertClient = .mock(getAlertStatus: { throw DiskFull() })
    }
    await store.send(.loadAlertStatus)
    await store.receive(.alertStatusResponse(.failure(DiskFull()))) {
      $0.error = DiskFull.message
      $0.problem = .statusUnreadable
    }
  }

  @Test func `A status without an end keeps the known one, and shows no duration without an alert`() async {
    let store = makeStore(.init(alertStartTime: start, alertEndTime: end))
    await store.send(.alertStatusResponse(.success(AlertSnapshot(isActive: false, startTime: start))))
    await store.send(.alertStatusResponse(.success(AlertSnapshot(isActive: true, startTime: end)))) {
      $0.isAlertActive = true
      $0.alertStartTime = end
      $0.alertEndTime = nil
    }
    await store.send(.alertStatusResponse(.success(AlertSnapshot(isActive: false, startTime: end)))) {
      $0.isAlertActive = false
    }
    #expect(store.state.alertDuration == 0)
  }

  @Test(arguments: [AlertFeature.State.activating, .deactivating])
  func `While an answer is pending a status is ignored`(state: AlertFeature.State) async {
    let store = makeStore(state)
    await store.send(.alertStatusResponse(.success(AlertSnapshot(isActive: true, startTime: end))))
    await store.send(.alertStatusResponse(.success(AlertSnapshot(isActive: false, startTime: nil))))
  }

  @Test func `A status that was read before the alert was raised is dropped`() async {
    let (status, raised) = (Answer<AlertSnapshot>(), Answer<Date>())
    let store = makeStore(.init(activationProgress: 0.75)) {
      $0.alertClient = .mock(activateAlert: raised.wait, getAlertStatus: status.wait)
    }
    store.exhaustivity = .off
    await store.send(.loadAlertStatus)
    await store.send(.alertButtonTapped)
    raised.give(start)
    await store.receive(.alertActivationResponse(.success(start)))
    status.give(AlertSnapshot(isActive: false, startTime: nil))
    await store.finish()
    #expect(store.state.isAlertActive)
  }

  @Test func `A status that was read before a snapshot is dropped`() async {
    let status = Answer<AlertSnapshot>()
    let store = makeStore {
      $0.alertClient = .mock(getAlertHistory: { [] }, getAlertStatus: status.wait)
    }
    store.exhaustivity = .off
    await store.send(.loadAlertStatus)
    await store.send(.alertSnapshotChanged(.active()))
    status.give(AlertSnapshot(isActive: false, startTime: nil))
    await store.finish()
    #expect(store.state.isAlertActive)
  }

  @Test func `The history is read and shown, and keeps an unread error`() async {
    let store = makeStore(.init(error: "unread")) { [records] in
      $0.alertClient = .mock(getAlertHistory: { records })
    }
    await store.send(.loadAlertHistory) { $0.isLoadingHistory = true }
    await store.receive(.alertHistoryResponse(.success(records))) {
      $0.isLoadingHistory = false
      $0.alertHistory = records
    }
  }

  @Test func `An unreadable history is reported, and the old one stays`() async {
    let store = makeStore(.init(alertHistory: records)) {
      $0.alertClient = .mock(getAlertHistory: { throw DiskFull() })
    }
    await store.send(.loadAlertHistory) { $0.isLoadingHistory = true }
    await store.receive(.alertHistoryResponse(.failure(DiskFull()))) {
      $0.isLoadingHistory = false
      $0.error = DiskFull.message
      $0.problem = .historyUnreadable
    }
  }

  @Test func `Of two reads only the last is answered`() async {
    let (first, asked) = (Answer<[AlertRecord]>(), Counter())
    let store = makeStore { [records] in
      $0.alertClient = .mock(getAlertHistory: {
        asked()
        return asked.count == 1 ? try await first.wait() : records
      })
    }
    await store.send(.loadAlertHistory) { $0.isLoadingHistory = true }
    await store.send(.loadAlertHistory)
    first.give([])
    await store.receive(.alertHistoryResponse(.success(records))) {
      $0.isLoadingHistory = false
      $0.alertHistory = records
    }
    await store.finish()
  }

  @Test func `A cancelled read sends no answer`() async {
    let (status, history) = (Answer<AlertSnapshot>(), Answer<[AlertRecord]>())
    let store = makeStore {
      $0.alertClient = .mock(getAlertHistory: history.wait, getAlertStatus: status.wait)
    }
    let first = await store.send(.loadAlertStatus)
    let second = await store.send(.loadAlertHistory) { $0.isLoadingHistory = true }
    await first.cancel()
    await second.cancel()
    status.give(AlertSnapshot(isActive: true, startTime: start))
    history.give(records)
    await store.finish()
  }
}

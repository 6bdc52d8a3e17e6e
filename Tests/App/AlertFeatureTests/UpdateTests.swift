import AlertFeature
import AppModel
import Clients
import Composable
import ComposableTesting
import Dependencies
import Foundation
import Model
import SystemKit
import Testing

@MainActor @Suite struct UpdateTests {
  /// What the client was given.
  private final class Sent: Sendable {
    private let updates = Lock<[String]>([])
    var all: [String] { updates.withLock { $0 } }

    func add(_ message: String?, _ location: Location?) {
      let place = location.map { "\($0.latitude),\($0.longitude)" } ?? "-"
      updates.withLock { $0.append("\(message ?? "-") @ \(place)") }
    }
  }

  @Test func `A message and a place are sent once, and their fields are empty then`() async {
    let sent = Sent()
    let answer = Answer<Bool>()
    let store = makeStore(.active) {
      $0.alertClient = .mock(updateAlert: { message, location in
        sent.add(message, location)
        _ = try await answer.wait()
      })
    }
    await store.send(.updateMessageChanged(" in the hut ")) { $0.updateMessage = " in the hut " }
    await store.send(.updatePlaceChanged("46.5763, 7.9905")) { $0.updatePlace = "46.5763, 7.9905" }
    #expect(store.state.canSendUpdate)
    await store.send(.sendUpdateButtonTapped) { $0.isSendingUpdate = true }
    // Neither a second tap nor a key changes what is on its way.
    await store.send(.sendUpdateButtonTapped)
    await store.send(.updateMessageChanged("x"))
    answer.give(true)
    await store.receive(.updateResponse(.success(()))) {
      $0.isSendingUpdate = false
      $0.updateMessage = ""
      $0.updatePlace = ""
    }
    #expect(sent.all == ["in the hut @ 46.5763,7.9905"])
  }

  @Test(arguments: [
    ("", "46.5,7.9", "- @ 46.5,7.9"), ("fell", "", "fell @ -"), ("", "by the river", "Location: by the river @ -"),
    ("\t\u{200B}fell down\u{A0}\r\n", "\r\n\u{3000}", "fell down @ -"),
    ("fell", "91,0", "fell\nLocation: 91,0 @ -"), ("fell", "nan,1", "fell\nLocation: nan,1 @ -"),
  ])
  func `A place that cannot be read goes into the message`(message: String, place: String, expected: String) async {
    let sent = Sent()
    let store = makeStore(.init(isAlertActive: true, alertStartTime: start, updateMessage: message, updatePlace: place))
    {
      $0.alertClient = .mock(updateAlert: { sent.add($0, $1) })
    }
    await store.send(.sendUpdateButtonTapped) { $0.isSendingUpdate = true }
    await store.receive(.updateResponse(.success(()))) {
      $0.isSendingUpdate = false
      $0.updateMessage = ""
      $0.updatePlace = ""
    }
    #expect(sent.all == [expected])
  }

  @Test func `What could not be saved stays in its field, and the person sees why`() async {
    let store = makeStore(.init(isAlertActive: true, alertStartTime: start, updateMessage: "fell")) {
      $0.alertClient = .mock(updateAlert: { _, _ in throw DiskFull() })
    }
    await store.send(.sendUpdateButtonTapped) { $0.isSendingUpdate = true }
    await store.receive(.updateResponse(.failure(DiskFull()))) {
      $0.isSendingUpdate = false
      $0.error = DiskFull.message
      $0.problem = .updateNotSaved
    }
    #expect(store.state.canSendUpdate)
  }

  @Test(arguments: [AlertFeature.State(), .deactivating, .active])
  func `Without an alert, or without words, nothing is sent`(state: AlertFeature.State) async {
    let store = makeStore(state)
    await store.send(.sendUpdateButtonTapped)
    await store.send(.updateResponse(.success(())))
    guard !state.isAlertActive else { return }
    await store.send(.updateMessageChanged("x"))
    await store.send(.updatePlaceChanged("1,2"))
  }

  @Test func `When another active alert is shown first, what was written stays`() async {
    let store = makeStore(.init(isAlertActive: true, alertStartTime: start, updateMessage: "fell", updatePlace: "1,2"))
    {
      $0.alertClient = .mock(getAlertHistory: { [] })
    }
    store.exhaustivity = .off
    await store.send(.alertSnapshotChanged(.active(start.addingTimeInterval(-60))))
    #expect(store.state.updateMessage == "fell" && store.state.updatePlace == "1,2")
    await store.finish()
  }

  @Test func `When the alert ends, what was written for it is gone`() async {
    let store = makeStore(.init(isAlertActive: true, alertStartTime: start, updateMessage: "fell", updatePlace: "1,2"))
    {
      $0.alertClient = .mock(getAlertHistory: { [] })
    }
    await store.send(.alertSnapshotChanged(.ended())) {
      $0.snapshot = .ended()
      $0.updateMessage = ""
      $0.updatePlace = ""
    }
    await store.receive(.alertHistoryResponse(.success([])))
  }
}

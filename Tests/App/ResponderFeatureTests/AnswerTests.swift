import AppModel
import Clients
import Composable
import ComposableTesting
import Dependencies
import Foundation
import Model
import SystemKit
import Testing

@testable import ResponderFeature

@MainActor @Suite struct `An answer to a received alert` {
  private let told = Told()
  private let alert = ReceivedAlert.of()

  private func opened(_ alert: ReceivedAlert, text: String = "") -> ResponderFeature.State {
    ResponderFeature.State(alerts: [alert], selectedID: alert.id, answerText: text)
  }

  @Test func `is saved once with its line, and shown as waiting`() async {
    let saved = Answer()
    let store = makeStore(
      opened(alert),
      .mock(respond: { [told] id, answer, text in
        told.respond(id, answer, text)
        try await saved.wait()
      }))
    await store.send(.answerTextChanged(" by car\n")) { $0.answerText = " by car\n" }
    let answer = ReceivedAlert.Answer(.onMyWay, text: "by car")
    await store.send(.answerButtonTapped(.onMyWay)) { [alert] in
      $0.sending = ResponderFeature.Sending(answer, to: alert)
    }
    // Neither a second tap nor a key changes what is being saved.
    await store.send(.answerButtonTapped(.there))
    await store.send(.answerTextChanged("x"))
    saved.give()
    await store.receive(.respondResponse(.success(()))) {
      $0.sending = nil
      $0.answerText = ""
      $0.alerts[0].answer = answer
      $0.alerts[0].isAnswerWaiting = true
    }
    // A key that repeats.
    await store.send(.answerButtonTapped(.onMyWay))
    #expect(told.all == ["on_my_way by car"])
  }

  @Test func `does not hide what became of it while it was being saved`() async {
    for change: @Sendable (inout ReceivedAlert) -> Void in [
      { $0.answer = ReceivedAlert.Answer(.onMyWay, time: start) }, { $0.refusal = "the alert had ended" },
      { $0.endTime = start },
    ] {
      let saved = Answer()
      let store = makeStore(opened(alert), .mock(respond: { _, _, _ in try await saved.wait() }))
      store.exhaustivity = .off
      await store.send(.answerButtonTapped(.onMyWay))
      let newer = ReceivedAlert.of(1, change)
      await store.send(.alertsChanged([newer]))
      saved.give()
      await store.receive(.respondResponse(.success(())))
      #expect(store.state.alerts == [newer] && !store.state.isSending)
    }
  }

  @Test func `may be given again with another line, after a refusal, and as a confirmation`() async {
    for change: @Sendable (inout ReceivedAlert) -> Void in [
      { $0.refusal = "the server refused it" }, { $0.isAskedToConfirm = true },
    ] {
      var alert = ReceivedAlert.answered(.responding)
      change(&alert)
      let store = makeStore(opened(alert), .mock(respond: told.respond))
      store.exhaustivity = .off
      await store.send(.answerButtonTapped(.responding))
      await store.receive(.respondResponse(.success(())))
    }
    let store = makeStore(opened(.answered(.responding), text: "soon"), .mock(respond: told.respond))
    store.exhaustivity = .off
    await store.send(.answerButtonTapped(.responding))
    await store.receive(.respondResponse(.success(())))
    #expect(told.all == ["responding -", "responding -", "responding soon"])
  }

  @Test func `that could not be saved keeps its line, and the person sees why`() async {
    let store = makeStore(opened(alert, text: "soon"), .mock(respond: { _, _, _ in throw DiskFull() }))
    await store.send(.answerButtonTapped(.responding)) { [alert] in
      $0.sending = ResponderFeature.Sending(.init(.responding, text: "soon"), to: alert)
    }
    await store.receive(.respondResponse(.failure(DiskFull()))) {
      $0.sending = nil
      $0.error = DiskFull.message
    }
    await store.send(.dismissError) { $0.error = nil }
  }

  @Test func `is not given to an ended alert, without an open one, or as a hand-over by who does not come`() async {
    let ended = ReceivedAlert.of { $0.endTime = start }
    for state in [opened(ended), ResponderFeature.State(alerts: [alert])] {
      let store = makeStore(state)
      await store.send(.answerButtonTapped(.responding))
      await store.send(.answerTextChanged("x"))
      await store.send(.respondResponse(.success(())))
    }
    for state in [opened(alert), opened(.answered(.cannot))] {
      #expect(!state.canAnswer(with: .handingOver) && state.canAnswer(with: .responding))
      await makeStore(state).send(.answerButtonTapped(.handingOver))
    }
    #expect(opened(.answered(.there)).canAnswer(with: .handingOver))
  }

  @Test func `has a line of at most 200 characters, which belongs to one alert`() async {
    let other = ReceivedAlert.of(2)
    let store = makeStore(
      ResponderFeature.State(alerts: [alert, other], selectedID: alert.id), .mock(noteSeen: told.see))
    let long = String(repeating: "a", count: 201)
    await store.send(.answerTextChanged(long)) { $0.answerText = String(long.dropLast()) }
    await store.send(.alertSelected(other.id)) {
      $0.selectedID = other.id
      $0.answerText = ""
      $0.seen = [other.id]
    }
    await store.finish()
  }
}

@MainActor @Suite struct `That an alert was seen` {
  private let told = Told()
  private let alert = ReceivedAlert.of()

  @Test func `is noted once, when the person opens it, and not when it is listed`() async {
    let store = makeStore(ResponderFeature.State(), .mock(noteSeen: told.see))
    await store.send(.alertsChanged([alert])) { [alert] in
      $0.alerts = [alert]
      $0.callCount = 1
      $0.calls = [alert.id: .init(alert)]
    }
    #expect(told.all.isEmpty)
    await store.send(.alertSelected(alert.id)) { [alert] in
      $0.selectedID = alert.id
      $0.seen = [alert.id]
    }
    await store.send(.selectionCleared) { $0.selectedID = nil }
    await store.send(.alertSelected(alert.id)) { [alert] in $0.selectedID = alert.id }
    await store.finish()
    #expect(told.all == ["seen"])
  }

  @Test func `is not noted of one that has ended or is unknown`() async {
    let ended = ReceivedAlert.of { $0.endTime = start }
    let store = makeStore(ResponderFeature.State(alerts: [ended]))
    await store.send(.alertSelected(ended.id)) { $0.selectedID = ended.id }
    await store.send(.alertSelected(ReceivedAlert.of(9).id))
  }

  @Test func `is noted again with the next press if it could not be saved, and the programmer hears of it`() async {
    let reported = Lock<[String]>([])
    await IssueReporting.withReporter({ issue in reported.withLock { $0.append(issue.message) } }) {
      let store = makeStore(ResponderFeature.State(alerts: [alert]), .mock(noteSeen: { _ in throw DiskFull() }))
      await store.send(.alertSelected(alert.id)) { [alert] in
        $0.selectedID = alert.id
        $0.seen = [alert.id]
      }
      await store.receive(.seenNotSaved(alert.id)) { $0.seen = [] }
    }
    #expect(reported.withLock { $0 }.count == 1)
  }
}

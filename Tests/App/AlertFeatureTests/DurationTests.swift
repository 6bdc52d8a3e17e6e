import AlertFeature
import Composable
import Dependencies
import Foundation
import Observation
import Testing

@Suite struct DurationTests {
  @Test(arguments: [
    (0, "00:00"), (0.9, "00:00"), (59, "00:59"), (60, "01:00"), (3599, "59:59"), (3599.999, "59:59"),
    (3600, "01:00:00"),
    (3661, "01:01:01"), (86_399, "23:59:59"), (360_000, "100:00:00"),
  ])
  func `The duration is written in minutes and seconds, from one hour with hours`(seconds: Double, text: String) {
    let state = AlertFeature.State(isAlertActive: true, alertStartTime: start)
    #expect(state.formattedAlertDuration(at: start.addingTimeInterval(seconds)) == text)
  }

  @Test func `Without a start it is 0`() {
    #expect(AlertFeature.State(isAlertActive: true).alertDuration(at: start) == 0)
    #expect(AlertFeature.State(alertEndTime: start).formattedAlertDuration(at: start) == "00:00")
  }

  @Test func `An alert that has ended lasted until its end`() {
    let state = AlertFeature.State(alertStartTime: start, alertEndTime: start.addingTimeInterval(90))
    #expect(state.alertDuration(at: start.addingTimeInterval(5000)) == 90)
    #expect(state.formattedAlertDuration(at: start.addingTimeInterval(5000)) == "01:30")
  }

  @Test func `A clock that was set back never makes it negative`() {
    let state = AlertFeature.State(isAlertActive: true, alertStartTime: start)
    #expect(state.alertDuration(at: start.addingTimeInterval(-3600)) == 0)
    #expect(state.formattedAlertDuration(at: start.addingTimeInterval(-3600)) == "00:00")
  }

  @Test(arguments: [Double.infinity, .nan, 1e300])
  func `An invalid time does not trap`(seconds: Double) {
    let state = AlertFeature.State(isAlertActive: true, alertStartTime: Date(timeIntervalSinceReferenceDate: 0))
    #expect(!state.formattedAlertDuration(at: Date(timeIntervalSinceReferenceDate: seconds)).isEmpty)
    #expect(state.formattedAlertDuration(at: Date(timeIntervalSinceReferenceDate: -seconds)) == "00:00")
  }

  @Test func `Now is the date of the dependencies that the state was made with`() {
    let state = withDependencies {
      $0.date = .constant(start.addingTimeInterval(61))
    } operation: {
      AlertFeature.State(isAlertActive: true, alertStartTime: start)
    }
    #expect(state.alertDuration == 61)
    #expect(state.formattedAlertDuration == "01:01")
    let elsewhere = withDependencies {
      $0.date = .constant(start)
    } operation: {
      AlertFeature.State(isAlertActive: true, alertStartTime: start)
    }
    #expect(state == elsewhere)
  }

  @MainActor @Test func `A view updates the duration on each tick, by the date of its store`() {
    let second = Counter()
    let ticks = Counter()
    let store = Store(initialState: AlertFeature.State(isAlertActive: true, alertStartTime: start)) {
      AlertFeature()
    } withDependencies: {
      $0.context = .test
      $0.date = DateGenerator { start.addingTimeInterval(Double(second.count)) }
    }
    for text in ["00:00", "00:01", "00:02"] {
      withObservationTracking {
        #expect(store.formattedAlertDuration == text)
      } onChange: {
        ticks()
      }
      second()
      store.send(.timerTick)
    }
    #expect(ticks.count == 3)
  }
}

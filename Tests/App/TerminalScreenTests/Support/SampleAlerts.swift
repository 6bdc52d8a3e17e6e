import Foundation
import LifeSignalFeatures

@testable import TerminalScreen

extension ReceivedAlert {
  /// Ben's alert of 12:00 UTC, or what `change` makes of it.
  static func sample(_ number: UInt64 = 1, _ change: (inout Self) -> Void = { _ in }) -> Self {
    var alert = Self(id: .sample(number), name: "Ben", phone: "+12025550143", startTime: DeviceUnderTest.noon)
    change(&alert)
    return alert
  }

  /// The same with all that can be known, twelve minutes later.
  static var detailed: Self {
    .sample { alert in
      alert.message = "fell on the ridge"
      alert.place = (try? Location(latitude: 46.57631234, longitude: 7.9905)).map {
        Place(location: $0, accuracyMeters: 19.6, time: DeviceUnderTest.noon.addingTimeInterval(-180))
      }
      alert.batteryPercent = 35
      alert.comers = ["Ana", "Cleo"]
      alert.askedAgain = 2
      alert.pageURL = "https://help.example.org/a/token"
    }
  }
}

extension ScreenUnderTest {
  /// Has the device be told of these alerts.
  func tell(_ alerts: ReceivedAlert...) async { await send(.inbox(.alertsChanged(alerts))) }

  /// The shown text on a terminal of any size.
  func text(columns: Int, rows: Int) async -> String {
    await send(.resized(ScreenSize(columns: columns, rows: rows)))
    return Sample.text(
      ScreenModel(state, now: DeviceUnderTest.noon.addingTimeInterval(754)), columns: columns, rows: rows)
  }
}

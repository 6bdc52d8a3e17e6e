package import LocalStore
package import Model
import SystemKit

/// What a device tells of itself, unasked, once an alert that was raised on it is durable: its battery level, and its place where one was
/// found.
package enum DeviceNews {
  /// Whether it has something to tell after this press: not while the store cannot take news, and not after a drill that was left out because a
  /// real alert is active.
  ///
  /// - Parameter isDrill: whether the person asked for a drill.
  package static func isDue(after activation: Activation, isDrill: Bool) -> Bool {
    !activation.isSpooled && !(isDrill && !activation.alert.isDrill)
  }

  /// Saves what is known as one update of the alert that the press belongs to by then, and returns when that is durable; nil if nothing is
  /// known, if the alert has ended, or if the store cannot take it: the alert stands without. It is no call for help.
  ///
  /// Reads the hardware and writes to the disk: never before the alert is durable, and never where somebody waits for it.
  package static func save(
    _ place: FoundPlace? = nil, ofPress press: AlertID, in store: LocalStore, powerSupply: String = Battery.folder
  ) -> SavedNews? {
    let news = AlertNews(
      location: place?.location, accuracyMeters: place?.accuracyMeters,
      batteryPercent: Battery.percent(in: powerSupply))
    guard !news.isEmpty else { return nil }
    return try? store.updateAlert(news, ofPress: press, at: DeviceClock.now())
  }
}

import DeviceCore
import LocalStore
import Model

extension PlaceSource {
  /// The gpsd that the person chose, by `--gpsd` or in the settings; else the usual one. Nil if it is switched off, or if what they gave
  /// cannot be read: it never prevents an alert.
  static func chosen(_ context: Context, _ home: HomeDirectory) -> PlaceSource? {
    let setting = context.invocation.value("gpsd") ?? (try? Configuration.load(home))?.gpsd
    guard let setting, !setting.isEmpty else { return standard }
    guard setting != off else { return nil }
    do throws(InvalidInput) {
      return try PlaceSource(setting)
    } catch {
      context.console.note(AlertTexts.warning(AlertTexts.gpsdUnread))
      return nil
    }
  }
}

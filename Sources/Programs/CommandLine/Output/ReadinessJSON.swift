import Model
import Wire

/// The JSON of who would be told, as the command line's contract has it.
enum ReadinessJSON {
  /// `"readiness":{"responders":3,"tested":2,"last_drill_at":…,"ready":true,"reason":null}`
  static func write(_ readiness: Readiness, to json: inout JSONWriter) {
    json.key("readiness")
    json.object {
      $0.member("responders", readiness.responders)
      $0.member("tested", readiness.tested)
      $0.member("last_drill_at", readiness.lastDrillAt?.description)
      $0.member("ready", readiness.isReady)
      $0.member("reason", readiness.obstacle?.rawValue)
    }
  }
}

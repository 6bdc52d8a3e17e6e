import LocalStore
import Wire

extension AlertCommands {
  /// An alert's own members, and how far it got: `stage`, `accepted_at`, `discarded`.
  static func writeMembers(_ entry: HistoryEntry, to json: inout JSONWriter) {
    entry.alert.writeMembers(to: &json)
    json.member("stage", entry.stage.rawValue)
    json.member("accepted_at", entry.acceptedAt?.description)
    json.member("discarded", entry.isDiscarded)
  }
}

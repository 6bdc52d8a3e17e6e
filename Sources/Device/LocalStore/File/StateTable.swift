import Model
import SQLiteKit

/// The keys of the table `sync_state`.
enum StateKey: String, CaseIterable {
  case deviceID = "device_id"
  case accountID = "account_id"
  case phone
  case accessToken = "access_token"
  case refreshToken = "refresh_token"
  case accessExpiresAt = "access_expires_at"
  case alertKey = "alert_key"
  /// Present while the server rejects the refresh token: `SessionMark`.
  case sessionExpired = "session_expired"
  /// Present from the decision to sign out until that is done or abandoned: the ids of the alerts that were active then.
  case signingOut = "signing_out"
  case cursor
  /// The end of the server's changes when it last answered, while the cursor is behind it.
  case newestCursor = "newest_cursor"
  case epoch
  /// Random, drawn each time the server turns out to be restored: rows that it named before do not count as named since. Absent
  /// before the first time.
  case naming
  /// The id of the current resubmission.
  case resubmission
  /// How far it is: its stage and the last row that it read.
  case resubmissionPosition = "resubmission_position"
  /// Present during a pull from the start that a changed epoch caused.
  case restoring
  /// Present from the time the server accepted alerts, calls or ends with an answer that did not move the cursor (by the alert key,
  /// which brings no changes, or after another answer had moved it) until a complete pull that was requested later has shown
  /// whether it has them. Counts such answers: a pull that another process requested before the last of them shows nothing.
  case unconfirmed
  case serverOffset = "server_offset"
  /// The kinds of channels that the server can serve, as it named them last, with spaces between them. Absent while it is unknown.
  case serverChannels = "server_channels"
  /// The body of the `profile.put` that the server holds; absent if it has none.
  case profile
  /// The `StateValues.naming` in which the server last named the profile.
  case profileNaming = "profile_naming"
  case lastSuccessAt = "last_success_at"
  case lastError = "last_error"
  case lastErrorKind = "last_error_kind"
  /// Present while the server refuses the alert key: then alerts wait for a sign-in too.
  case alertKeyRefused = "alert_key_refused"
  case emergencyAttempts = "emergency_attempts"
  case emergencyNextAttemptAt = "emergency_next_attempt_at"
  /// The newest sequence that was queued at the lane's last failure.
  case emergencyFailedThrough = "emergency_failed_through"
  case routineAttempts = "routine_attempts"
  case routineNextAttemptAt = "routine_next_attempt_at"
  case routineFailedThrough = "routine_failed_through"
  /// The greatest sequence that was ever removed from the queue.
  case sequenceFloor = "sequence_floor"
  /// The boot in which the last alert was queued, and the first sequence of it: see `BootMark`.
  case boot
  /// Left by the last write transaction, to find out whether it committed: see `WriteMark`.
  case writeMark = "write_mark"

  /// The keys of the store itself: they outlive an account.
  static let lasting: Set<StateKey> = [.deviceID, .writeMark, .sequenceFloor, .serverOffset, .boot]
}

extension StoreReading {
  func value(of key: StateKey) throws -> String? {
    try value("SELECT value FROM sync_state WHERE key = ?", SQLiteValue(choice: key))
  }

  /// The whole table.
  func stateValues() throws -> StateValues {
    var values = StateValues()
    try forEachRow("SELECT key, value FROM sync_state") { row in
      if let key = StateKey(rawValue: try row["key"]) { values.add(try row["value"], for: key) }
      return .goOn
    }
    return values
  }
}

extension StoreTransaction {
  /// Sets the value; nil removes it.
  func setValue(_ value: String?, for key: StateKey) throws {
    guard let value else { return try run("DELETE FROM sync_state WHERE key = ?", SQLiteValue(choice: key)) }
    try run(
      "INSERT INTO sync_state (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
      SQLiteValue(choice: key), .text(value))
  }

  func setValue(_ value: Int64, for key: StateKey) throws {
    try setValue(String(value), for: key)
  }
}

/// The table `sync_state` as of one transaction.
struct StateValues {
  /// Each key once. There are few: looking through them is faster than a dictionary.
  private var values: [(key: StateKey, value: String)] = []

  /// Adds the value of a key that has none.
  mutating func add(_ value: String, for key: StateKey) { values.append((key, value)) }

  subscript(_ key: StateKey) -> String? { values.first { $0.key == key }?.value }

  func integer(_ key: StateKey) -> Int64? { self[key].flatMap { Int64($0) } }

  func timestamp(_ key: StateKey) -> Timestamp? { integer(key).map { Timestamp(milliseconds: $0) } }

  /// nil unless all its parts are present.
  var session: Session? {
    guard let account = self[.accountID].flatMap({ AccountID($0) }), let phone = self[.phone],
      let access = self[.accessToken], let refresh = self[.refreshToken], let expires = timestamp(.accessExpiresAt),
      let alertKey = self[.alertKey]
    else { return nil }
    return Session(
      accountID: account, phone: phone, accessToken: access, refreshToken: refresh, accessExpiresAt: expires,
      alertKey: alertKey, isExpired: self[.sessionExpired] != nil,
      isRevoked: self[.sessionExpired] == SessionMark.revoked
    )
  }
}

/// The values of `StateKey.sessionExpired`.
enum SessionMark {
  /// The server did not take the refresh token, and perhaps takes it later.
  static let refused = "1"
  /// The session was ended.
  static let revoked = "revoked"
}

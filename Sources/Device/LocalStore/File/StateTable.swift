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
  case sessionExpired = "session_expired"
  /// There from the decision to sign out until that is done or given up: the ids of the alerts that were active then.
  case signingOut = "signing_out"
  case cursor
  /// Where the server's changes ended when it last answered, while the cursor has not reached that: what the server took
  /// meanwhile lies between.
  case newestCursor = "newest_cursor"
  case epoch
  /// Random, drawn each time that the server turns out to be restored: rows that were named before do not count as named
  /// since. Absent before the first time.
  case naming
  /// The id of the resubmission that is under way.
  case resubmission
  /// How far it is: its stage and the last row that was looked at.
  case resubmissionPosition = "resubmission_position"
  /// There while a pull from the start is under way because the epoch changed.
  case restoring
  /// There from when the server took alerts, calls or ends by an answer that did not move the cursor (by the alert key, which
  /// brings no changes, or after another answer had moved it), until a whole pull that was asked for later has shown whether it
  /// holds them. How often that happened since: a pull that another process asked for before the last of them shows nothing.
  case unconfirmed
  case serverOffset = "server_offset"
  case lastSuccessAt = "last_success_at"
  case lastError = "last_error"
  case lastErrorKind = "last_error_kind"
  /// There while the server refuses the alert key: then alerts wait for a sign-in too.
  case alertKeyRefused = "alert_key_refused"
  case emergencyAttempts = "emergency_attempts"
  case emergencyNextAttemptAt = "emergency_next_attempt_at"
  /// The newest sequence that shared the lane's last failure.
  case emergencyFailedThrough = "emergency_failed_through"
  case routineAttempts = "routine_attempts"
  case routineNextAttemptAt = "routine_next_attempt_at"
  case routineFailedThrough = "routine_failed_through"
  /// The greatest sequence that was ever taken from the queue.
  case sequenceFloor = "sequence_floor"
  /// The boot in which the last alert was queued, and the first sequence of it: see `BootMark`.
  case boot
  /// Left by the last write transaction, to be looked for when its outcome is unknown: see `WriteMark`.
  case writeMark = "write_mark"

  /// What belongs to the store and not to an account.
  static let lasting: Set<StateKey> = [.deviceID, .writeMark, .sequenceFloor, .serverOffset, .boot]
}

extension Connection {
  func value(of key: StateKey) throws -> String? {
    try statement("SELECT value FROM sync_state WHERE key = ?").first(.text(key.rawValue)) { $0.text(0) }
  }

  /// Sets the value; nil removes it.
  func setValue(_ value: String?, for key: StateKey) throws {
    guard let value else {
      return try statement("DELETE FROM sync_state WHERE key = ?").run(.text(key.rawValue))
    }
    try statement(
      "INSERT INTO sync_state (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value"
    ).run(.text(key.rawValue), .text(value))
  }

  func setValue(_ value: Int64, for key: StateKey) throws {
    try setValue(String(value), for: key)
  }

  /// The whole table.
  func stateValues() throws -> StateValues {
    var values: [StateKey: String] = [:]
    let statement = try statement("SELECT key, value FROM sync_state")
    while try statement.step() {
      if let key = StateKey(rawValue: statement.text(0)) { values[key] = statement.text(1) }
    }
    return StateValues(values: values)
  }
}

/// What the table `sync_state` held at one time.
struct StateValues {
  let values: [StateKey: String]

  subscript(_ key: StateKey) -> String? { values[key] }

  func integer(_ key: StateKey) -> Int64? { values[key].flatMap { Int64($0) } }

  func time(_ key: StateKey) -> Timestamp? { integer(key).map { Timestamp(milliseconds: $0) } }

  /// nil unless every part of it is there.
  var session: Session? {
    guard let account = values[.accountID].flatMap({ AccountID($0) }), let phone = values[.phone],
      let access = values[.accessToken], let refresh = values[.refreshToken], let expires = time(.accessExpiresAt),
      let alertKey = values[.alertKey]
    else { return nil }
    return Session(
      accountID: account, phone: phone, accessToken: access, refreshToken: refresh, accessExpiresAt: expires,
      alertKey: alertKey, isExpired: values[.sessionExpired] != nil
    )
  }
}

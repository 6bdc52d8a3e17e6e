/// The columns that become one value, as `SELECT` lists them, and conditions that several statements have.
enum SQL {
  static let account =
    "accounts.account_id AS account_id, accounts.phone, accounts.epoch, accounts.created_at AS account_created_at, accounts.name"
  static let session = """
    sessions.id AS session_id, sessions.account_id AS session_account_id, sessions.device_name, sessions.alert_key_hash,
    sessions.created_at AS session_created_at, sessions.ended_at, sessions.alert_key_ended_at
    """
  static let tokens = """
    tokens.session_id AS token_session_id, tokens.generation, tokens.access_hash, tokens.refresh_hash, tokens.salt,
    tokens.access_expires_at, tokens.refresh_expires_at, tokens.first_used_at, tokens.replaced_at
    """
  /// What devices see of an alert, but for its id.
  static let alertRecord = """
    alerts.ordinal, alerts.started_at, alerts.ended_at, alerts.message, alerts.latitude, alerts.longitude, alerts.drill,
    alerts.only_contact, alerts.received_at, alerts.end_received_at, alerts.update_id, alerts.update_at, alerts.update_message,
    alerts.update_latitude, alerts.update_longitude, alerts.update_accuracy_m, alerts.update_battery_percent
    """
  static let alert = """
    alerts.account_id, alerts.id, \(alertRecord), alerts.device_id, alerts.utc_offset_minutes, alerts.notified_at,
    alerts.update_count, alerts.corrected_started_at, alerts.corrected_ended_at, alerts.asking_phase, alerts.asking_round,
    alerts.asking_tier, alerts.asking_due_at, alerts.silence_due_at, alerts.silent_since, alerts.forgotten
    """
  /// Which alerts of an account are active. Names a parameter, so that the index is entered where the active ones begin: where the newest alert
  /// says, or the account's row if an older program wrote that.
  static func isActive(of account: String) -> String {
    """
    alerts.ended_at IS NULL AND alerts.ordinal >= coalesce(
      (SELECT nullif(newest.active_from, 0) FROM alerts AS newest WHERE newest.account_id = \(account)
        ORDER BY newest.ordinal DESC LIMIT 1),
      (SELECT active_from FROM account_logs WHERE account_logs.account_id = \(account)), 0)
    """
  }
  /// When a device was heard from last. What `device_contacts` has is older, or of a process of an older program.
  static func lastContact(of device: String, _ account: String) -> String {
    """
    greatest(
      (SELECT last_contact_at FROM last_contacts
        WHERE last_contacts.account_id = \(account) AND last_contacts.device_id = \(device)
        ORDER BY last_contact_at DESC LIMIT 1),
      (SELECT last_contact_at FROM device_contacts
        WHERE device_contacts.account_id = \(account) AND device_contacts.device_id = \(device)))
    """
  }
  static let contact = """
    contacts.name, contacts.phone, contacts.is_responder, contacts.is_dependent, contacts.channels, contacts.tier
    """
  static let delivery = """
    deliveries.id, deliveries.account_id, deliveries.alert_id, deliveries.contact_id, deliveries.contact_name,
    deliveries.notice, deliveries.channel_url, deliveries.state, deliveries.state_at, deliveries.reason, deliveries.told_end,
    deliveries.created_at, deliveries.attempts, deliveries.refusals, deliveries.due_at, deliveries.is_leased,
    deliveries.is_dropped, deliveries.call_number, deliveries.told_call, deliveries.priority, deliveries.role,
    deliveries.round, deliveries.holder
    """
}

/// A part of a plan that looks expensive and is not, with the reason.
struct BoundedWork {
  let statement: String
  let line: String
  let reason: String
}

let boundedWork = [
  BoundedWork(
    statement: "device_contacts WHERE account_id = ?1 ORDER BY last_contact_at", line: "TEMP B-TREE",
    reason: "an account has at most `AccountLimits.devices`"),
  BoundedWork(
    statement: "INDEXED BY alerts_active WHERE account_id = ?1 AND (received_at, id)", line: "TEMP B-TREE",
    reason: "the active alerts of one account"),
  BoundedWork(
    statement: "alerts WHERE id = ?1 AND account_id IN", line: "TEMP B-TREE",
    reason: "alerts with one id, of those who named one number"),
  BoundedWork(
    statement: "deliveries WHERE account_id = ? AND alert_id = ? ORDER BY contact_name", line: "TEMP B-TREE",
    reason: "an alert has at most 4,000 deliveries"),
  BoundedWork(
    statement: "deliveries WHERE account_id = ? AND contact_id = ? AND state = 'queued'", line: "TEMP B-TREE",
    reason: "an account has at most `AccountLimits.openDeliveries` that are queued"),
  BoundedWork(
    statement: "sessions WHERE account_id = ? AND alert_key_ended_at IS NULL", line: "TEMP B-TREE",
    reason: "the sessions of one account"),
  BoundedWork(
    statement: "inbox_due ORDER BY position LIMIT", line: "SCAN inbox_due",
    reason: "the first few of a table that is mostly empty"),
  BoundedWork(
    statement: "accounts WHERE id <> ?1 AND ( phone IN", line: "TEMP B-TREE",
    reason: "the responders of one account who have accounts"),
  BoundedWork(
    statement: "UPDATE code_messages SET … WHERE is_leased = 1", line: "SCAN",
    reason: "codes on their way are at most `CodePolicy.inFlightLimit`"),
  BoundedWork(
    statement: "FROM alerts WHERE ended_at IS NULL ORDER BY drill", line: "SCAN alerts USING INDEX alerts_active",
    reason: "the active alerts of all, for the operator"),
  BoundedWork(
    statement: "FROM alerts WHERE ended_at IS NULL ORDER BY drill", line: "TEMP B-TREE",
    reason: "the active alerts of all, in their order"),
  BoundedWork(
    statement: "FROM alerts WHERE ended_at IS NULL ORDER BY drill", line: "SCAN a",
    reason: "as many active alerts as the operator's page shows"),
  BoundedWork(
    statement: "reason IS NOT NULL GROUP BY host", line: "TEMP B-TREE",
    reason: "the queued messages of all, for the operator"),
  BoundedWork(
    statement: "FROM alerts AS a CROSS JOIN deliveries", line: "SCAN a USING INDEX alerts_active",
    reason: "the active alerts of all, for the operator's list of messages"),
  BoundedWork(
    statement: "FROM pragma_table_info", line: "SCAN pragma_table_info", reason: "the columns of one table"),
  BoundedWork(statement: "SELECT", line: "SCAN CONSTANT ROW", reason: "one row, around a subquery"),
]

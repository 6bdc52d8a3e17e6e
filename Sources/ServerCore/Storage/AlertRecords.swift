/// Alerts, contacts, the change log and the record of what was applied. All rows are keyed by their account: an id of
/// another account is simply not there.
package protocol AlertRecords {}

/// Accounts, sessions, one-time codes and rate limits. (A stand-in until the accounts part is here.)
package protocol AccountRecords {}

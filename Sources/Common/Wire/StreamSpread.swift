/// The period over which event streams reconnect after a server lost all of them at once.
///
/// Only the server knows how many devices there are. It announces a time that grows with their number in the stream's `retry`
/// field (WHATWG HTML §9.2.6), and a device without an alert waits a random part of it. A small server gets its streams back
/// in seconds; a large one sees no more load than in any other hour, because it ends each stream after an hour anyway. Alerts
/// and their news never wait for it.
package enum StreamSpread {
  /// One second for each stream: one stream a second reconnects to each server.
  package static let millisecondsPerStream: Int64 = 1000
  package static let shortestMilliseconds: Int64 = 5000
  package static let longestMilliseconds: Int64 = 3_600_000
  /// For streams that the server ends after an hour. It looks for them every 25 s, and they reconnect before it looks again.
  package static let renewalMilliseconds = Int64(StreamEvent.heartbeatSeconds * 1000)

  package static func milliseconds(openStreams: Int) -> Int64 {
    let (product, overflow) = Int64(clamping: openStreams).multipliedReportingOverflow(by: millisecondsPerStream)
    return bounded(overflow ? .max : product)
  }

  /// A server's value, clamped to the allowed range.
  package static func bounded(_ milliseconds: Int64) -> Int64 {
    min(max(milliseconds, shortestMilliseconds), longestMilliseconds)
  }

  /// The `retry` field as sent before an event or a comment.
  package static func text(milliseconds: Int64) -> String { "retry: \(milliseconds)\n" }
}

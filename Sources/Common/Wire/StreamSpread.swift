/// Over how long event streams come back to a server that all of them have lost at once.
///
/// A device cannot know how many others there are; the server does. It tells its streams a time that grows with their number,
/// in the field `retry` of the stream (WHATWG HTML §9.2.6), and a device without an alert waits a random part of it. So a
/// small server has its streams back in seconds, and a large one is asked for no more than in any other hour: it ends each
/// stream after an hour anyway. Alerts do not wait for it, nor does the news of them.
package enum StreamSpread {
  /// A second for each stream: one comes back in a second, or as many as there are servers.
  package static let millisecondsPerStream: Int64 = 1000
  package static let shortestMilliseconds: Int64 = 5000
  package static let longestMilliseconds: Int64 = 3_600_000
  /// For the streams that the server ends because they are an hour old: it finds them at each heartbeat, and until the next one
  /// they are back.
  package static let renewalMilliseconds = Int64(StreamEvent.heartbeatSeconds * 1000)

  package static func milliseconds(openStreams: Int) -> Int64 {
    let (product, overflow) = Int64(clamping: openStreams).multipliedReportingOverflow(by: millisecondsPerStream)
    return bounded(overflow ? .max : product)
  }

  /// Whatever a server says.
  package static func bounded(_ milliseconds: Int64) -> Int64 {
    min(max(milliseconds, shortestMilliseconds), longestMilliseconds)
  }

  /// The field as the stream carries it, before an event or a comment.
  package static func text(milliseconds: Int64) -> String { "retry: \(milliseconds)\n" }
}

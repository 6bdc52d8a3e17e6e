/// A channel of a contact over which a message failed for good, and none got through since.
package struct FailedChannel: Hashable, Sendable {
  /// The channel's URL.
  package var url: String
  /// When a message first failed for `reason`, by the server's clock.
  package var at: Timestamp
  /// Why the last one failed: one line for a person.
  package var reason: String

  package init(url: String, at: Timestamp, reason: String) {
    self.url = url
    self.at = at
    self.reason = reason
  }
}

extension [FailedChannel] {
  /// Those that are among `channels`: an edit of its URL forgets that a channel failed.
  package func among(_ channels: [Channel]) -> Self {
    filter { failed in channels.contains { $0.url == failed.url } }
  }

  /// Those that `tests` have not made good since: a test that was answered later than the failure.
  package func since(_ tests: [TestedChannel]) -> Self {
    filter { failed in !tests.contains { $0.url == failed.url && $0.at >= failed.at } }
  }

  /// With `channel` failed at `time`. The same again for the same reason changes nothing.
  package func adding(_ channel: Channel, at time: Timestamp, because reason: String) -> Self {
    let line = String(reason.map { $0.isNewline ? " " : $0 })
    if contains(where: { $0.url == channel.url && $0.reason == line }) { return self }
    return removing(channel) + [FailedChannel(url: channel.url, at: time, reason: line)]
  }

  /// Without a failure of `channel`.
  package func removing(_ channel: Channel) -> Self { filter { $0.url != channel.url } }

  /// One a line, as stores keep them: milliseconds, a space, the URL, which has no white space, a space, and the reason.
  package var lines: String { map { "\($0.at.milliseconds) \($0.url) \($0.reason)" }.joined(separator: "\n") }

  /// Reads `lines`. A line that cannot be read is left out.
  package init(lines: String) {
    self = lines.split(separator: "\n").compactMap { line in
      let parts = line.split(separator: " ", maxSplits: 2)
      guard parts.count >= 2, let milliseconds = Int64(parts[0]) else { return nil }
      return FailedChannel(
        url: String(parts[1]), at: Timestamp(milliseconds: milliseconds), reason: parts.dropFirst(2).joined())
    }
  }
}

extension [TestedChannel] {
  /// Those that have not failed since.
  package func without(_ failures: [FailedChannel]) -> Self {
    let standing = failures.since(self)
    return filter { tested in !standing.contains { $0.url == tested.url } }
  }
}

/// A channel of a contact through which their person answered a drill.
package struct TestedChannel: Hashable, Sendable {
  /// The channel's URL.
  package var url: String
  /// When they answered, by the server's clock.
  package var at: Timestamp

  package init(url: String, at: Timestamp) {
    self.url = url
    self.at = at
  }
}

extension [TestedChannel] {
  /// Those that are among `channels`: an edit of its URL makes a channel untested.
  package func among(_ channels: [Channel]) -> Self {
    filter { tested in channels.contains { $0.url == tested.url } }
  }

  /// With `channel` tested at `time`, in place of an earlier test of it.
  package func adding(_ channel: Channel, at time: Timestamp) -> Self {
    filter { $0.url != channel.url } + [TestedChannel(url: channel.url, at: time)]
  }

  /// One a line, as stores keep them: milliseconds, a space, and the URL, which has no white space.
  package var lines: String { map { "\($0.at.milliseconds) \($0.url)" }.joined(separator: "\n") }

  /// Reads `lines`. A line that cannot be read is left out: its channel counts as untested.
  package init(lines: String) {
    self = lines.split(separator: "\n").compactMap { line in
      let parts = line.split(separator: " ", maxSplits: 1)
      guard parts.count == 2, let milliseconds = Int64(parts[0]) else { return nil }
      return TestedChannel(url: String(parts[1]), at: Timestamp(milliseconds: milliseconds))
    }
  }
}

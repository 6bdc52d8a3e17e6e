package import ServerCore
import Wire

/// The bounds of the HTTP shell. The defaults are for production; tests shorten the times.
package struct HTTPSettings: Sendable {
  /// From the first byte of a request (for a new connection: from its opening) until the whole of it is here.
  package var requestDeadlineMilliseconds: Int64 = 30_000
  /// From the whole request until its answer, and again from there until the client has taken all of it. Event streams have none.
  package var answerDeadlineMilliseconds: Int64 = 60_000
  /// Between two requests on one connection.
  package var keepAliveMilliseconds: Int64 = 90_000
  /// Beyond them a new one takes the place of one that waits.
  package var maximumConnections = 4096
  /// Of an IPv4 address, or a /64 prefix of IPv6.
  package var maximumConnectionsPerAddress = 64
  /// Whether the limit per address also holds for this machine itself, where a reverse proxy may run.
  package var limitsLoopback = false
  /// They say from whom they have a request.
  package var trustedProxies = TrustedProxies()
  /// Nil: any name is right.
  var knownHosts: KnownHosts?
  /// Bodies over 16 KiB that are read or worked on at once, of all and of those with one credential.
  package var maximumLargeBodies = 128
  package var maximumLargeBodiesPerCredential = 4
  /// Of a connection's headers and buffers together. A request line with its headers should stay below 10 KiB.
  package var connectionMemoryBytes = 24 << 10
  /// Threads that answer requests. Event streams need none of them.
  package var threads = 4
  package var maximumStreamsPerAccount = 16
  /// Of one responder's page.
  package var maximumStreamsPerPage = 8
  /// Of all pages together; nil: half of all streams, so that pages cannot push out devices.
  package var maximumPageStreams: Int?
  /// Of the pages of one account's responders together.
  package var maximumPageStreamsPerAccount = 128
  /// How often the open event streams are looked at. A heartbeat is due after so many of these ticks as its interval has 25 s.
  package var tickMilliseconds = Int64(StreamEvent.heartbeatSeconds * 1000)
  /// After which an event stream is ended, so that its client shows its token again.
  package var streamLifetimeMilliseconds: Int64 = 3_600_000

  package init() {}

  /// As many as the library accepts: connections that make room for others are closed in a moment.
  package var acceptedConnections: Int { maximumConnections + Self.closingConnections(of: maximumConnections) }

  /// The greatest `maximumConnections` for so many descriptors.
  package static func maximumConnections(forDescriptors count: Int) -> Int { count - closingConnections(of: count) }

  private static func closingConnections(of count: Int) -> Int { max(16, count / 16) }

  /// After which the library itself closes a silent connection: later than our own deadlines, which do not need it.
  var silenceSeconds: UInt32 {
    let longest = max(requestDeadlineMilliseconds, answerDeadlineMilliseconds, keepAliveMilliseconds)
    return UInt32(clamping: longest / 1000 + 15)
  }
}

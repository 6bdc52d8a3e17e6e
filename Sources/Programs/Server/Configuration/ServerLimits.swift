import ServerHTTP

/// How much the server takes on at once; nil: the default.
struct ServerLimits: Hashable {
  var connections: Int?
  /// Of an IPv4 address, or a /64 prefix of IPv6.
  var connectionsPerAddress: Int?
  /// Event streams of the devices of one account.
  var streamsPerAccount: Int?
  /// Open pages of responders; nil: as many as leave devices half of the streams.
  var pages: Int?
  /// Bodies over 16 KiB.
  var bodies: Int?

  /// A setting, and what it sets.
  struct Setting {
    let name: String
    let range: ClosedRange<Int>
    let value: (ServerLimits) -> Int?
    let set: (inout ServerLimits, Int) -> Void

    init(_ name: String, _ range: ClosedRange<Int>, _ value: WritableKeyPath<ServerLimits, Int?>) {
      self.name = name
      self.range = range
      self.value = { $0[keyPath: value] }
      set = { $0[keyPath: value] = $1 }
    }
  }

  static var settings: [Setting] {
    [
      Setting("max-connections", 64...1_000_000, \.connections),
      Setting("max-connections-per-address", 4...1_000_000, \.connectionsPerAddress),
      Setting("max-streams-per-account", 1...10_000, \.streamsPerAccount),
      Setting("max-pages", 1...1_000_000, \.pages),
      Setting("max-bodies", 4...100_000, \.bodies),
    ]
  }

  /// The names of those that differ.
  func names(ofOthersThan other: ServerLimits) -> [String] {
    Self.settings.filter { $0.value(self) != $0.value(other) }.map(\.name)
  }

  /// - Parameter possible: as many connections as the limit of open files allows.
  func apply(to http: inout HTTPSettings, possibleConnections possible: Int) {
    http.maximumConnections = min(connections ?? http.maximumConnections, possible)
    http.maximumPageStreams = pages
    if let connectionsPerAddress { http.maximumConnectionsPerAddress = connectionsPerAddress }
    if let streamsPerAccount { http.maximumStreamsPerAccount = streamsPerAccount }
    if let bodies { http.maximumLargeBodies = bodies }
  }
}

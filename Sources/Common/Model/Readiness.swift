/// Whether an alert would reach anybody, as far as the device knows.
public struct Readiness: Hashable, Sendable {
  /// The number of responders.
  public var responders: Int
  /// The number of responders who answered a drill through a channel that they still have, that the server can still use, and over which
  /// no message has failed since.
  public var tested: Int
  /// When a responder last answered a drill through a channel that they still have, by the server's clock; nil: never.
  package var lastDrillAt: Timestamp?
  /// Why nobody would be told; nil if somebody would be.
  public var obstacle: Obstacle?
  /// The only responder, where the obstacle is `failed`.
  package var failedName: String?
  /// The names of the responders who have a channel of a kind that the server said it cannot use.
  public var unsupportedNames: [String] = []

  /// Whether somebody would be told.
  public var isReady: Bool { obstacle == nil }

  /// Why nobody would be told.
  public enum Obstacle: String, Hashable, Sendable, CaseIterable {
    /// No server is set.
    case noServer = "no_server"
    /// Nobody is signed in.
    case notSignedIn = "not_signed_in"
    /// There is no responder.
    case noResponders = "no_responders"
    /// The server has not told yet who the responders are.
    case notFetched = "not_fetched"
    /// The server does not have any responder yet, or refused them.
    case notOnServer = "not_on_server"
    /// No responder has a channel that the server can use, but some were told by the app before. Whether it reaches them depends on their device.
    case onlyByApp = "only_by_app"
    /// No responder has a channel.
    case noChannel = "no_channel"
    /// The server can send over none of their channels.
    case unsupported = "unsupported_channels"
    /// The last messages over their channels failed for good.
    case failed = "failed_channels"
    /// No responder has answered a drill through a channel that they have now.
    case untested

    /// For a person: one line, without a full stop.
    public var reason: String {
      switch self {
      case .noServer: "no server is set"
      case .notSignedIn: "this device is not signed in"
      case .noResponders: "you have no responders"
      case .notFetched: "your responders are not known here yet"
      case .notOnServer: "your responders are not on the server"
      case .onlyByApp: "your responders are told by the app alone"
      case .noChannel: "no responder has a channel"
      case .unsupported: "this server cannot use their channels"
      case .failed: "your responders' channels failed"
      case .untested: "no responder has a tested channel"
      }
    }

    /// Whether it is certain that nobody would be told. A channel that is untested or that failed may work, what waits for the server
    /// may arrive in time, and the app tells responders who use LifeSignal themselves, also without a channel.
    public var isCertain: Bool { [.noServer, .notSignedIn, .noResponders].contains(self) }
  }

  /// A readiness for previews and tests.
  public init(responders: Int = 0, tested: Int = 0, obstacle: Obstacle? = .noResponders) {
    self.init(responders: responders, tested: tested, lastDrillAt: nil, obstacle: obstacle)
  }

  package init(responders: Int, tested: Int, lastDrillAt: Timestamp?, obstacle: Obstacle?) {
    self.responders = responders
    self.tested = tested
    self.lastDrillAt = lastDrillAt
    self.obstacle = obstacle
  }
}

extension Readiness {
  /// Why nobody would be told, for a person: one line, without a full stop. Nil if somebody would be.
  public var reason: String? {
    guard obstacle == .failed, let failedName else { return obstacle?.reason }
    return "the last message to \(failedName) failed"
  }

  /// As in `READY: 3 responders, tested 2 days ago`, where it is `now` by the server's clock. At most 80 columns, but for a name.
  package func line(now: Timestamp) -> String {
    if obstacle == .onlyByApp, let reason { return "NOT READY: \(reason)" }
    if let reason { return "NOT READY: nobody would be told (\(reason))" }
    let count = responders == 1 ? "1 responder" : "\(responders) responders"
    let age = lastDrillAt.map { " " + Self.age(milliseconds: now.milliseconds(since: $0)) } ?? ""
    return "READY: \(count), " + (tested < responders ? "\(tested) of them tested, last" : "tested") + age
  }

  private static func age(milliseconds: Int64) -> String {
    let minutes = milliseconds / 60_000
    switch minutes {
    case ..<1: return "just now"
    case ..<60: return ago(minutes, "minute")
    case ..<1440: return ago(minutes / 60, "hour")
    default: return ago(minutes / 1440, "day")
    }
  }

  private static func ago(_ count: Int64, _ unit: String) -> String { "\(count) \(unit)\(count == 1 ? "" : "s") ago" }
}

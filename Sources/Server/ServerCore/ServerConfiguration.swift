package import Model

/// The operator's settings, fixed for the life of the process.
package struct ServerConfiguration: Sendable {
  /// The URL of this server for responders and devices, without a trailing slash.
  package var publicURL: String
  /// `--allow-private-channels`: plain `http://` channels, and private and loopback addresses, are accepted.
  package var allowsPrivateChannels: Bool
  /// Whether what is queued here is sent by servers with other settings: these say over which channels they can send.
  package var leavesChannelsToServers = false
  /// Whether one-time codes can be sent. If not, nobody can sign in.
  package var sendsCodes = true
  /// Nil: text messages cannot be sent.
  package var smsGateway: GatewayTemplate?
  /// Nil: nobody can be called.
  package var voiceGateway: GatewayTemplate?
  /// Nil: mails cannot be sent.
  package var mailServer: MailServer?
  package var authentication: AuthenticationLimits
  package var limits: AccountLimits
  package var deliveries: DeliveryPolicy
  package var codes = CodePolicy()
  package var retention = Retention()

  package init(
    publicURL: String, allowsPrivateChannels: Bool = false, authentication: AuthenticationLimits = .init(),
    limits: AccountLimits = .init(), deliveries: DeliveryPolicy = .init()
  ) {
    self.publicURL = publicURL
    self.allowsPrivateChannels = allowsPrivateChannels
    self.authentication = authentication
    self.limits = limits
    self.deliveries = deliveries
  }
}

extension ServerConfiguration {
  /// The path of `publicURL`: where a reverse proxy shows this server below a path of its own.
  var publicPath: String {
    let address = publicURL.split(separator: "://", maxSplits: 1).last ?? ""
    return String(address.drop { $0 != "/" })
  }
}

/// How much of the server one account may use. Items beyond a limit are rejected with a code, or wait.
package struct AccountLimits: Sendable {
  package var contacts = 100
  package var newAlerts = AlertRate()
  /// Messages to responders that are not sent yet.
  package var openDeliveries = 10_000
  /// Room beside `openDeliveries` that only calls for help may use, so that the first help of an alert waits for nothing: what a hundred
  /// active alerts with all contacts and channels need, as many as the server considers. It has an end, since whoever ends each alert and
  /// raises the next may queue without one.
  package var openCalls = 100 * 100 * ContactDetails.maximumChannels
  /// Devices whose cursors are remembered; the one with the oldest contact is forgotten first.
  package var devices = 50
  /// Cursors remembered for each device.
  package var cursorsPerDevice = 64
  /// A longer exchange is committed in parts, so that other requests get a turn: the embedded file has one writer. Use `Int.max` for a
  /// store in which accounts do not wait for each other.
  package var itemsPerTransaction = 16
  /// The items in a part of a long exchange; those of one alert or contact stay together. Each edit of a contact may queue a message for
  /// each of a hundred active alerts.
  package var itemsPerPart = 4

  package init() {}

  /// How many messages may wait for those of `alert` to be queued behind them. Drills may fill a quarter of `openDeliveries` and alerts
  /// that are over half of it: both wait while another alert is active, and a call for help must find room whatever waits.
  package func openDeliveries(toTellOf alert: Alert) -> Int {
    if alert.isActive, !alert.isDrill { return openDeliveries + openCalls }
    let share = alert.isDrill ? 4 : 2
    return (openDeliveries + share - 1) / share
  }
}

/// The bounds of the delivery queue.
package struct DeliveryPolicy: Sendable {
  /// A claimed delivery may be claimed again after this: the process that had it is taken for dead.
  package var leaseMilliseconds: Int64 = 60_000
  /// An attempt must end within this; well under the lease, so that no two attempts overlap while nobody sets the clock.
  package var attemptTimeoutMilliseconds = 20_000
  /// What says that a person is safe, or has a drill, waits so long, again and again, while another alert of theirs is active.
  package var holdMilliseconds: Int64 = 60_000
  package var inFlight = InFlightLimits(perHost: 4, perAccount: 16)
  /// A delivery that has not got through this long after it was queued and its alert ended has failed, once it was tried
  /// `giveUpAttempts` times: a clock that was set forward alone ends none. While its alert is active it is tried on.
  package var giveUpAfterMilliseconds: Int64 = 24 * 3_600_000
  package var giveUpAttempts = 50
  /// Refusals (4xx, a private address) after which a delivery has failed, once it is `refusedAfterMilliseconds` old: a
  /// webhook that is being deployed, or a wrong name server, must not end a call for help.
  package var refusalLimit = 10
  package var refusedAfterMilliseconds: Int64 = 3_600_000
  /// A refusal is not followed by another attempt sooner than this.
  package var refusalDelayMilliseconds: Int64 = 5000
  /// Nothing waits longer than this for its next attempt or the end of its lease: what would was written before the clock
  /// was set back, and is due.
  package var longestWaitMilliseconds: Int64 = 3_600_000

  package init() {}
}

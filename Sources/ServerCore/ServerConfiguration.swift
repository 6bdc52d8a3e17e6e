/// What an operator decides; the same for the life of the process.
package struct ServerConfiguration: Sendable {
  /// Under which responders and devices reach this server, without a slash at the end.
  package var publicURL: String
  /// `--allow-private-channels`: plain `http://` channels, and private and loopback addresses, are accepted.
  package var allowsPrivateChannels: Bool
  package var authentication: AuthenticationLimits
  package var limits: AccountLimits
  package var deliveries: DeliveryPolicy

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

/// How much of the server one account may use. Beyond it, items are rejected with a code.
package struct AccountLimits: Sendable {
  package var contacts = 100
  package var alerts = 200_000
  /// Messages to responders that are not sent yet.
  package var openDeliveries = 10_000
  /// Devices whose cursors are remembered; the one longest silent goes first.
  package var devices = 50
  /// Cursors remembered for each device.
  package var cursorsPerDevice = 64

  package init() {}
}

/// The bounds of the delivery queue.
package struct DeliveryPolicy: Sendable {
  /// A claimed delivery may be claimed again after this: the process that had it is taken for dead.
  package var leaseMilliseconds: Int64 = 60_000
  /// An attempt must end within this; well under the lease, so that no two attempts overlap.
  package var attemptTimeoutMilliseconds = 20_000
  /// Deliveries to one host that may be under way at once, so that a slow host does not hold up the others.
  package var inFlightPerHost = 16
  /// A delivery that has not got through this long after it was queued has failed.
  package var giveUpAfterMilliseconds: Int64 = 24 * 3_600_000
  /// Refusals (4xx) after which a delivery has failed.
  package var refusalLimit = 3

  package init() {}
}

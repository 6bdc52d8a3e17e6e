public import Model

/// The device's settings. The command line has the same ones, and a worker that runs takes up a change at once.
public struct DeviceSettings: Hashable, Sendable {
  /// The server's address: `https://host[:port][/path]`, or `http://` of this machine; nil where none is set.
  public var endpoint: String?
  /// The address that is tried in an emergency when the first has failed twice; nil where none is set.
  public var secondEndpoint: String?
  /// The path of a file with the authorities that vouch for the server, in PEM; nil for the system's.
  public var certificateAuthorityFile: String?
  /// The region in which numbers are dialed on this device; nil where none is set.
  public var region: Region?

  /// Settings; without arguments those of a new device.
  public init(
    endpoint: String? = nil, secondEndpoint: String? = nil, certificateAuthorityFile: String? = nil,
    region: Region? = nil
  ) {
    self.endpoint = endpoint
    self.secondEndpoint = secondEndpoint
    self.certificateAuthorityFile = certificateAuthorityFile
    self.region = region
  }
}

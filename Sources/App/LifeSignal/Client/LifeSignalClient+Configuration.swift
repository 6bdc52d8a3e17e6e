import DeviceCore
import LocalStore

/// The device's settings. The command line has the same ones, and a worker that runs takes up a change at once.
extension LifeSignalClient {
  /// The server's address; nil where none is set.
  public func endpoint() async throws(LifeSignalError) -> String? { try await configuration().endpoint }

  /// Says where the server is: `https://host[:port][/path]`, or `http://` of this machine. Throws `invalid`.
  public func setEndpoint(_ url: String) async throws(LifeSignalError) {
    let endpoint = try valid { () throws(InvalidInput) in try Configuration.validatedEndpoint(url) }
    try await configure { $0.endpoint = endpoint }
  }

  /// The address that is tried in an emergency when the first has failed twice; nil where none is set.
  public func secondEndpoint() async throws(LifeSignalError) -> String? { try await configuration().secondEndpoint }

  /// Sets the second address, or removes it where nil. Throws `invalid`.
  public func setSecondEndpoint(_ url: String?) async throws(LifeSignalError) {
    let endpoint = try url.map { url throws(LifeSignalError) in
      try valid { () throws(InvalidInput) in try Configuration.validatedEndpoint(url) }
    }
    try await configure { $0.secondEndpoint = endpoint }
  }

  /// Sets the file of the authorities that vouch for the server, in PEM; nil for the system's. Throws `invalid` where it is
  /// no readable file.
  public func setCertificateAuthorityFile(_ path: String?) async throws(LifeSignalError) {
    let file = try path.map { path throws(LifeSignalError) in
      try valid { () throws(InvalidInput) in try CertificateFile.validated(path) }
    }
    try await configure { $0.certificateAuthorityFile = file }
  }

  /// The region in which numbers are dialled on this device; nil where none is set.
  public func region() async throws(LifeSignalError) -> Region? {
    try await configuration().region.flatMap { Region(code: $0) }
  }

  /// Sets the region in which numbers are dialled, or removes it where nil.
  public func setRegion(_ region: Region?) async throws(LifeSignalError) {
    try await configure { $0.region = region?.code }
  }

  private func configuration() async throws(LifeSignalError) -> Configuration {
    try await withStore { store throws(LocalStoreError) in try Configuration.load(store.home) }
  }

  private func configure(_ change: @escaping @Sendable (inout Configuration) -> Void) async throws(LifeSignalError) {
    try await withStore { store throws(LocalStoreError) in
      var configuration = try Configuration.load(store.home)
      change(&configuration)
      try configuration.save(store.home)
    }
  }

  private func valid<Value>(_ check: () throws(InvalidInput) -> Value) throws(LifeSignalError) -> Value {
    do throws(InvalidInput) { return try check() } catch { throw LifeSignalError(.invalid, error.message) }
  }
}

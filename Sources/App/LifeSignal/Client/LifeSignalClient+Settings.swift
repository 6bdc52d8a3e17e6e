public import AppModel
import DeviceCore
import LocalStore
import Model

extension LifeSignalClient {
  /// The settings of this device.
  public func settings() async throws(LifeSignalError) -> Settings {
    try await withStore { store throws(LocalStoreError) in Settings(try Configuration.load(store.home)) }
  }

  /// Changes the settings and returns the new ones.
  ///
  /// ```swift
  /// try await client.configure { $0.endpoint = "https://signal.example.org" }
  /// ```
  ///
  /// Throws `invalid` if an address is malformed or a file cannot be read; nothing is changed then.
  @discardableResult
  public func configure(
    _ change: @escaping @Sendable (inout Settings) -> Void
  ) async throws(LifeSignalError) -> Settings {
    try await run(on: storeQueue) { [self] in
      Result { () throws(LifeSignalError) in try apply(change) }
    }
  }

  private func apply(_ change: (inout Settings) -> Void) throws(LifeSignalError) -> Settings {
    let home = try stored { () throws(LocalStoreError) in try store().home }
    var configuration = try stored { () throws(LocalStoreError) in try Configuration.load(home) }
    let before = Settings(configuration)
    var settings = before
    change(&settings)
    do throws(InvalidInput) {
      try configuration.take(settings, changedFrom: before)
    } catch {
      throw LifeSignalError(.invalid, error.message)
    }
    try stored { () throws(LocalStoreError) in try configuration.save(home) }
    return Settings(configuration)
  }

  private func stored<Value>(_ work: () throws(LocalStoreError) -> Value) throws(LifeSignalError) -> Value {
    do throws(LocalStoreError) { return try work() } catch { throw LifeSignalError(error) }
  }
}

extension DeviceSettings {
  fileprivate init(_ configuration: Configuration) {
    self.init(
      endpoint: configuration.endpoint, secondEndpoint: configuration.secondEndpoint,
      certificateAuthorityFile: configuration.certificateAuthorityFile,
      region: configuration.region.flatMap { Region(code: $0) })
  }
}

extension Configuration {
  /// Takes and checks only what was changed: a file that is missing since must not prevent a new address.
  fileprivate mutating func take(
    _ settings: DeviceSettings, changedFrom before: DeviceSettings
  ) throws(InvalidInput) {
    if settings.endpoint != before.endpoint { endpoint = try Self.valid(settings.endpoint) }
    if settings.secondEndpoint != before.secondEndpoint { secondEndpoint = try Self.valid(settings.secondEndpoint) }
    if settings.certificateAuthorityFile != before.certificateAuthorityFile {
      certificateAuthorityFile =
        if let path = settings.certificateAuthorityFile { try CertificateFile.validated(path) } else { nil }
    }
    if settings.region != before.region { region = settings.region?.code }
  }

  private static func valid(_ url: String?) throws(InvalidInput) -> String? {
    guard let url else { return nil }
    return try validatedEndpoint(url)
  }
}

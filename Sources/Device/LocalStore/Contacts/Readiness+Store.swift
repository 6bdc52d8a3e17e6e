package import Model

extension Readiness {
  /// Works out whether an alert would reach anybody, from the contacts, from what the server said, and from whether anything can be sent.
  ///
  /// - Parameters:
  ///   - isSignedIn: whether the server takes alerts of this device, also where only its alert key is left.
  ///   - hasPulled: whether the server has told which contacts it has.
  ///   - appUsers: the contacts whom the app tells.
  package init(
    contacts: [StoredContact], channels: ServerChannels, isSignedIn: Bool, hasServer: Bool, hasPulled: Bool = true,
    appUsers: Set<ContactID> = []
  ) {
    let responders = contacts.filter(\.contact.details.isResponder)
    let standings = responders.map { Standing(of: $0, channels, isAppUser: appUsers.contains($0.contact.id)) }
    let nearest = standings.max { $0.rawValue < $1.rawValue }
    self.init(
      responders: responders.count, tested: standings.count { $0 == .tested },
      lastDrillAt: responders.flatMap(\.tested).map(\.at).max(),
      obstacle: !hasServer
        ? .noServer : !isSignedIn ? .notSignedIn : nearest.map(\.obstacle) ?? (hasPulled ? .noResponders : .notFetched))
    unsupportedNames = responders.map(\.contact.details).filter { !channels.unsupported(of: $0).isEmpty }.map(\.name)
    if obstacle == .failed, responders.count == 1 { failedName = responders.first?.contact.details.name }
  }

  /// How near one responder is to being told, the nearest last.
  private enum Standing: Int {
    case notOnServer, withoutChannel, unsupported, onlyByApp, failed, untested, tested

    /// The server tells those whom it has as responders, by the channels that it has.
    init(of stored: StoredContact, _ server: ServerChannels, isAppUser: Bool) {
      guard !stored.contact.details.channels.isEmpty else {
        self = isAppUser ? .onlyByApp : .withoutChannel
        return
      }
      guard let known = stored.onServer, known.isResponder, !known.channels.isEmpty else {
        self = .notOnServer
        return
      }
      let usable = known.channels.filter(server.canServe)
      let failures = stored.failed.among(usable)
      self =
        usable.isEmpty
        ? (isAppUser ? .onlyByApp : .unsupported)
        : !stored.tested.among(usable).without(failures).isEmpty
          ? .tested : failures.count < usable.count ? .untested : .failed
    }

    var obstacle: Obstacle? {
      switch self {
      case .notOnServer: .notOnServer
      case .withoutChannel: .noChannel
      case .unsupported: .unsupported
      case .onlyByApp: .onlyByApp
      case .failed: .failed
      case .untested: .untested
      case .tested: nil
      }
    }
  }
}

extension LocalStore {
  /// Whether an alert would reach anybody. Settings that cannot be read name no server: nothing is sent then.
  package func readiness() throws(LocalStoreError) -> Readiness {
    let hasServer = hasServer
    return try file.read { try $0.readiness(hasServer: hasServer) }
  }

  /// Whether the settings name a server.
  var hasServer: Bool { (try? Configuration.load(home))?.endpoint != nil }
}

extension StoreReading {
  func readiness(hasServer: Bool) throws -> Readiness {
    let contacts = try contacts()
    let values = try stateValues()
    let takesAlerts = values.session.map { !$0.isExpired || values[.alertKeyRefused] == nil } ?? false
    let channels = try serverChannels()
    func readiness(_ appUsers: Set<ContactID> = []) -> Readiness {
      Readiness(
        contacts: contacts, channels: channels, isSignedIn: takesAlerts, hasServer: hasServer,
        hasPulled: values[.cursor] != nil, appUsers: appUsers)
    }
    let byChannel = readiness()
    // Only then, as it reads the receipts of all alerts.
    guard [.noChannel, .unsupported].contains(byChannel.obstacle) else { return byChannel }
    return readiness(try appUsers())
  }
}

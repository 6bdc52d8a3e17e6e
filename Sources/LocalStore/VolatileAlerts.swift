import Glibc
package import Model

/// Alerts that were raised while the home could not be written, in a folder in memory that lasts until the machine is switched off.
///
/// They say under which ids an alert was sent: a second press is the same alert to the server, and `alert deactivate` can end it.
/// They are not durable and count for nothing else.
package struct VolatileAlerts: Sendable {
  private let folder: HomeDirectory

  /// nil where the machine has no folder in memory that is this user's alone.
  package init?(_ home: HomeDirectory, account: AccountID, runtimeFolder: String?) {
    guard let base = Self.base(runtimeFolder) else { return nil }
    folder = HomeDirectory(path: "\(base)/\(Self.name(home, account))")
  }

  /// The alert that raising this one repeats, with what it was sent under; else a new one, noted if that can be.
  package func raise(
    _ draft: AlertDraft, at moment: Moment, random: @escaping @Sendable () -> (UInt64, UInt64)
  ) -> (message: EmergencyMessage, wasRaisedBefore: Bool) {
    if let same = alerts().first(where: { $0.isRaised(by: draft) }) { return (EmergencyMessage(same), true) }
    let raised = RaisedAlert(draft, at: moment, random: random)
    // Best effort: without the note the alert is sent all the same, and a second press is a second alert.
    try? Spool.write(raised, home: folder)
    return (EmergencyMessage(raised), false)
  }

  package func active() -> [EmergencyMessage] { alerts().map { EmergencyMessage($0) } }

  /// Forgets an alert: the server has its end.
  package func forget(_ id: AlertID) {
    unlink("\(folder.spoolPath)/\(id).json")
  }

  private func alerts() -> [RaisedAlert] {
    ((try? Spool.read(folder))?.alerts ?? []).map(\.raised)
  }

  private static func base(_ runtimeFolder: String?) -> String? {
    let candidates = [runtimeFolder.map { $0 + "/lifesignal" }, "/dev/shm/lifesignal-\(geteuid())"]
    return candidates.compactMap { $0 }.first { path in
      guard path.hasPrefix("/"), mkdir(path, 0o700) == 0 || errno == EEXIST else { return false }
      var status = stat()
      return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR && status.st_uid == geteuid()
        && status.st_mode & 0o077 == 0
    }
  }

  /// FNV-1a of the home's path and the account, so that neither meets another's alerts.
  private static func name(_ home: HomeDirectory, _ account: AccountID) -> String {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in "\(home.path) \(account)".utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return String(hash, radix: 16)
  }
}

extension RaisedAlert {
  fileprivate func isRaised(by draft: AlertDraft) -> Bool {
    activation.message == draft.message && activation.location == draft.location && activation.isDrill == draft.isDrill
  }
}

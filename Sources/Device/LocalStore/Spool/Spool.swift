package import Model
import SQLiteKit
import Wire

/// The fallback when the store cannot be opened or written: one plain file for each alert, imported when the store is opened or used next.
package enum Spool {
  /// Raises the alert in the spool. Returns when it is durable.
  ///
  /// If there is no room for it, gives an alert that is in the spool already and that it would repeat.
  package static func activate(
    _ draft: AlertDraft, home: HomeDirectory, options: StoreOptions, at moment: Moment
  ) throws(LocalStoreError) -> Activation {
    try activate(
      RaisedAlert(draft, at: moment, random: options.random), home: home,
      isOver: {
        EmergencyAccess.isTakenIn($0, home)
          || EmergencyAccess.waitingAlerts(home, at: moment, options).ends.end(of: $0) != nil
      })
  }

  /// - Parameter isOver: whether the store has the alert, so that its file is only a leftover, or it has ended.
  static func activate(
    _ raised: RaisedAlert, home: HomeDirectory, isOver: (AlertID) -> Bool
  ) throws(LocalStoreError) -> Activation {
    do throws(LocalStoreError) {
      try write(raised, home: home)
      return Activation(alert: raised.alert, alreadyActive: false, isSpooled: true, press: raised.id)
    } catch {
      guard let alert = spooledAlert(repeatedBy: raised.alert, home: home, isOver) else { throw error }
      var activation = Activation(alert: alert, alreadyActive: true, isSpooled: true, press: alert.id)
      activation.isCallSaved = false
      return activation
    }
  }

  /// The alert in the spool that raising this one would repeat, made durable.
  private static func spooledAlert(repeatedBy alert: Alert, home: HomeDirectory, _ isOver: (AlertID) -> Bool) -> Alert?
  {
    let waiting = alerts(home).first { (alert.isDrill || !$0.isDrill) && !isOver($0.id) }
    // A file is synced before it gets its name; its writer may have been killed before it synced the folder.
    return (try? FileSystem.syncFolder(home.spoolPath, on: home.disk)) == nil ? nil : waiting
  }

  /// Writes the alert and syncs the file and its folder. Returns when it is durable, on any file system.
  package static func write(
    _ draft: AlertDraft, home: HomeDirectory, random: @escaping @Sendable () -> (UInt64, UInt64), at moment: Moment
  ) throws(LocalStoreError) -> Alert {
    let raised = RaisedAlert(draft, at: moment, random: random)
    try write(raised, home: home)
    return raised.alert
  }

  /// On a full disk it uses the reserved space.
  static func write(_ raised: RaisedAlert, home: HomeDirectory) throws(LocalStoreError) {
    do throws(LocalStoreError) {
      try writeFile(raised, home: home)
    } catch {
      guard error.code == .diskFull, SpaceReserve.release(in: home) else { throw error }
      try writeFile(raised, home: home)
    }
    home.poke()
  }

  private static func writeFile(_ raised: RaisedAlert, home: HomeDirectory) throws(LocalStoreError) {
    try FileSystem.makeFolder(home.spoolPath, on: home.disk)
    try PlainFile.write(json(of: raised), to: "\(home.spoolPath)/\(raised.id).json", on: home.disk)
  }

  private static func json(of raised: RaisedAlert) -> [UInt8] {
    var json = JSONWriter()
    json.object {
      $0.member("id", raised.id.description)
      $0.member("mutation_id", raised.mutationID.description)
      $0.member("notification_id", raised.notificationID.description)
      $0.member("started_monotonic", raised.startedMonotonicMilliseconds)
      if let boot = raised.boot { $0.member("boot", boot) }
      $0.key("body")
      MutationBody.write(raised.mutation.change, to: &$0)
    }
    return json.bytes + [UInt8(ascii: "\n")]
  }

  /// The alerts that wait to be imported, real ones before drills, then oldest first. Empty if the folder cannot be read: the import
  /// reports that.
  package static func alerts(_ home: HomeDirectory) -> [Alert] {
    guard let (raised, _) = try? read(home) else { return [] }
    return inOrder(raised.map(\.raised.alert))
  }

  /// Real alerts before drills, then oldest first.
  static func inOrder(_ alerts: [Alert]) -> [Alert] {
    alerts.sorted { ($0.isDrill ? 1 : 0, $0.startedAt) < ($1.isDrill ? 1 : 0, $1.startedAt) }
  }

  /// Removes the alert's file, if there is one and it can be removed.
  package static func forget(_ id: AlertID, home: HomeDirectory) {
    try? FileSystem.remove("\(home.spoolPath)/\(id).json", on: home.disk)
  }

  package static func has(_ id: AlertID, home: HomeDirectory) -> Bool {
    FileSystem.exists("\(home.spoolPath)/\(id).json")
  }

  /// Throws `alertActive` while a file is in the spool, or may be: an alert that was not imported, or whose file could not be removed. When
  /// this returns, the removed files are gone durably: no power cut brings them back.
  static func requireEmpty(_ home: HomeDirectory) throws(LocalStoreError) {
    do throws(LocalStoreError) {
      guard try fileNames(home).isEmpty else {
        throw LocalStoreError(.alertActive, "an alert is saved, but not imported yet: try again")
      }
      if FileSystem.exists(home.spoolPath) { try FileSystem.syncFolder(home.spoolPath, on: home.disk) }
    } catch {
      guard error.code != .alertActive else { throw error }
      throw LocalStoreError(.alertActive, "an alert may be saved, but not imported: \(error.message)")
    }
  }

  private static func fileNames(_ home: HomeDirectory) throws(LocalStoreError) -> [String] {
    try FileSystem.names(in: home.spoolPath).filter { $0.hasSuffix(".json") }
  }

  static let maximumFileBytes = 65_536

  /// The complete alerts in the folder, by name, and the number of files that cannot be read. Throws if the folder cannot be
  /// read, or nothing in it can be reached.
  static func read(
    _ home: HomeDirectory
  ) throws(LocalStoreError) -> (alerts: [(raised: RaisedAlert, path: String)], unreadable: Int) {
    var alerts: [(raised: RaisedAlert, path: String)] = []
    var unreadable = 0
    for name in try fileNames(home) {
      let path = "\(home.spoolPath)/\(name)"
      // A file that cannot be read stays, and is reported.
      if let bytes = try? PlainFile.read(path, maximumBytes: maximumFileBytes),
        let raised = try? RaisedAlert(spooled: bytes)
      {
        alerts.append((raised, path))
      } else if try FileSystem.mayExist(path) {
        unreadable += 1
      }
    }
    return (alerts, unreadable)
  }
}

extension RaisedAlert {
  /// Reads a spool file.
  fileprivate init(spooled bytes: [UInt8]) throws {
    let json = try JSONDocument(bytes).root
    self.init(
      id: try json.identifier("id"),
      mutationID: try json.identifier("mutation_id"),
      notificationID: try json.identifier("notification_id"),
      activation: try AlertActivation(stored: json.required("body")),
      startedMonotonicMilliseconds: Int64(try json.integer("started_monotonic")),
      boot: try? json.optionalString("boot")  // without it the wall clock decides
    )
  }
}

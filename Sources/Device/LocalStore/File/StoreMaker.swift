import Glibc
import Model
import SQLiteKit
import Schema
import SystemKit

/// Makes, mends and brings up to date the store's file. Every function is called with the store's lock held.
struct StoreMaker {
  let home: HomeDirectory
  /// Names a folder for what is set aside, and the device.
  let moment: Moment
  let options: StoreOptions

  /// Opens the file, whatever it takes.
  func open(_ report: inout OpeningReport) throws(LocalStoreError) -> Connection {
    try finishReplacement()
    try setAsideRemains(&report)
    if let connection = try openUndamaged() { return connection }
    if rewriteSchema(&report), let connection = try openUndamaged() { return connection }
    try replace(&report)
    do {
      return try openCurrent()
    } catch {
      throw LocalStoreError(any: error)
    }
  }

  /// Looks through a file that showed damage, mends rows where that is enough, and sets it aside where the damage is real.
  /// Another process may have done so already.
  func mend(_ report: inout OpeningReport) throws(LocalStoreError) {
    try finishReplacement()
    rewriteSchema(&report)
    do {
      let connection = try openCurrent()
      defer { connection.close() }
      let mender = RowMender(
        connection: connection, identifiers: IdentifierSource(moment: moment, random: options.random))
      if try SchemaText(of: connection).holds(Migrator.client.schema()), try connection.integrityCheck().isEmpty,
        try !mender.hasUnreadableEntities()
      {
        try connection.write {
          guard try mender.mendInPlace() > 0 else { return }
          // An alert whose row in the queue names it no more is offered anew.
          try connection.queueNeverAccepted(at: moment, random: options.random)
        }
        return
      }
    } catch {
      guard error.isDamage else { throw LocalStoreError(any: error) }
    }
    try replace(&report)
  }

  /// nil where the file is damaged. SQLite tells a read that fails as damage too, and damage is what is told twice.
  private func openUndamaged() throws(LocalStoreError) -> Connection? {
    for _ in 1...2 {
      do {
        return try openCurrent()
      } catch {
        guard error.isDamage, try !isBlank() else { throw LocalStoreError(any: error) }
      }
    }
    return nil
  }

  private func openCurrent() throws -> Connection {
    try FileSystem.makeFile(home.databasePath)
    let connection = try Connection(path: home.databasePath, options: options.connection)
    do {
      if try !Migrator.client.isCurrent(connection) || !connection.hasNamedDevice() { try initialise(connection) }
    } catch {
      defer { connection.close() }
      throw isOfTheSchema(error, connection) ? SQLiteError.damage("its schema is not as it was made") : error
    }
    return connection
  }

  /// The device's name comes last: whoever finds it finds all the rest done, and whoever does not begins again.
  private func initialise(_ connection: Connection) throws {
    try Migrator.client.migrate(connection)
    try noteInitialised()
    try connection.write { try connection.nameDevice(DeviceID(versionSevenAt: moment.wall, random: options.random())) }
  }
}

// The schema's text.
extension StoreMaker {
  private func isOfTheSchema(_ error: any Error, _ connection: Connection) -> Bool {
    guard (error as? SQLiteError)?.mayBeOfTheSchema == true else { return false }
    return (try? SchemaText(of: connection).holds(Migrator.client.schema())) == false
  }

  /// Writes the schema anew where it is not what its migrations made: no row is lost, as it would be by setting the file aside.
  /// False where that was not the matter, or does not help.
  @discardableResult
  private func rewriteSchema(_ report: inout OpeningReport) -> Bool {
    var salvaging = options.connection
    salvaging.createsFile = false
    salvaging.isForSalvage = true
    guard let connection = try? Connection(path: home.databasePath, options: salvaging) else { return false }
    defer { connection.close() }
    guard let schema = try? Migrator.client.schema(), (try? Migrator.client.isCurrent(connection)) == true,
      let found = try? SchemaText(of: connection), !found.holds(schema), found.names(all: schema),
      (try? schema.write(to: connection)) != nil
    else { return false }
    report.hasMendedSchema = true
    return true
  }
}

// What is left where the file itself is gone.
extension StoreMaker {
  /// A store that was made once and is missing or empty now was lost, and its log, which SQLite would remove, may hold the
  /// last alerts.
  private func setAsideRemains(_ report: inout OpeningReport) throws(LocalStoreError) {
    guard try FileSystem.status(home.databasePath)?.byteCount ?? 0 == 0 else { return }
    let logBytes = try FileSystem.status(home.logPath)?.byteCount ?? 0
    let wasInitialised = try FileSystem.status(home.storeLockPath)?.byteCount ?? 0 > 0
    guard logBytes > 0 || wasInitialised else { return }
    try replace(&report)
  }

  /// Whether nothing was ever written to the file: then there is nothing to set aside.
  private func isBlank() throws(LocalStoreError) -> Bool {
    try FileSystem.status(home.databasePath)?.byteCount ?? 0 == 0
  }

  /// Leaves a mark in `store.lock` that there has been a store.
  private func noteInitialised() throws {
    guard let file = FileDescriptor(opening: home.storeLockPath, O_WRONLY) else {
      throw LocalStoreError(errorNumber: errno, "mark the store as made")
    }
    guard pwrite(file.number, "made\n", 5, 0) == 5 else {
      throw LocalStoreError(errorNumber: errno, "mark the store as made")
    }
  }
}

// Setting aside.
extension StoreMaker {
  /// Sets the file aside and puts a new one in its place, with all that could be read of the old one. A crash at any point
  /// leaves the old one in place, or `finishReplacement` to be done.
  private func replace(_ report: inout OpeningReport) throws(LocalStoreError) {
    let folder = try makeDamagedFolder()
    report.setAsidePath = folder
    for path in [home.databasePath, home.logPath, home.sharedMemoryPath] {
      try link(path, into: folder)
    }
    try FileSystem.syncFolder(folder)
    report.salvaged = try makeReplacement(from: folder)
    try finishReplacement()
  }

  private func makeDamagedFolder() throws(LocalStoreError) -> String {
    let digits = moment.wall.description.prefix(19).filter { $0 != "-" && $0 != ":" }
    for number in 1...1000 {
      let path = "\(home.path)/damaged-\(digits)Z-\(number)"
      if mkdir(path, 0o700) == 0 {
        try FileSystem.setPermissions(path, 0o700)
        return path
      }
      guard errno == EEXIST else { throw LocalStoreError(errorNumber: errno, "set the damaged store aside") }
    }
    throw LocalStoreError(.cannotOpen, "cannot set the damaged store aside: there are too many of them")
  }

  /// Gives the file a second name in `folder`; where the filesystem has no second names, its only one.
  private func link(_ path: String, into folder: String) throws(LocalStoreError) {
    guard FileSystem.exists(path) else { return }
    let name = path[path.index(home.path.endIndex, offsetBy: 1)...]
    if Glibc.link(path, "\(folder)/\(name)") == 0 { return }
    try FileSystem.rename(path, to: "\(folder)/\(name)")
  }

  private func makeReplacement(from folder: String) throws(LocalStoreError) -> OpeningReport.Salvaged {
    let path = home.replacementPath + ".partial"
    for suffix in ["", "-wal", "-shm"] { try FileSystem.remove(path + suffix) }
    let salvaged: OpeningReport.Salvaged
    do {
      try FileSystem.makeFile(path)
      let connection = try Connection(path: path, options: options.connection)
      defer { connection.close() }
      try Migrator.client.migrate(connection)
      salvaged = try Salvage(folder: folder, moment: moment, options: options).run(into: connection)
      guard try connection.checkpoint() else { throw LocalStoreError(.busy, "the mended store is in use") }
    } catch {
      throw LocalStoreError(any: error)
    }
    for suffix in ["-wal", "-shm"] { try FileSystem.remove(path + suffix) }
    try FileSystem.rename(path, to: home.replacementPath)
    try FileSystem.syncFolder(home.path)
    return salvaged
  }

  /// Puts a mended store in its place. The old log goes first: it must never be read with the new file.
  private func finishReplacement() throws(LocalStoreError) {
    guard FileSystem.exists(home.replacementPath) else { return }
    try FileSystem.remove(home.logPath)
    try FileSystem.remove(home.sharedMemoryPath)
    try FileSystem.rename(home.replacementPath, to: home.databasePath)
    try FileSystem.syncFolder(home.path)
  }
}

extension Migrator {
  /// The device's schema, embedded.
  static let client = Migrator(embedded: lifesignal_schema_client_migration)
}

extension Connection {
  func hasNamedDevice() throws(SQLiteError) -> Bool {
    let named = try statement("SELECT 1 FROM sync_state WHERE key = 'device_id'")
    defer { named.reset() }
    return try named.step()
  }

  /// Gives the store its device's id, unless it has one.
  func nameDevice(_ id: DeviceID) throws {
    try statement("INSERT INTO sync_state (key, value) VALUES ('device_id', ?) ON CONFLICT (key) DO NOTHING")
      .run(.text(id.description))
  }
}

extension Error {
  /// SQLite found the file damaged.
  var isDamage: Bool {
    switch self as any Error {
    case let error as SQLiteError: error.isDamage
    case let failure as CommitFailure: failure.error.isDamage
    case MigrationError.sqlite(let error), MigrationError.commit(let error): error.isDamage
    default: false
    }
  }
}

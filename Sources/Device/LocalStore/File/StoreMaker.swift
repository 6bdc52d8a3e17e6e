import Glibc
import Model
import SQLiteKit
import Schema
import SystemKit

/// Creates, repairs and migrates the store's file. Every function is called with the store's lock held.
struct StoreMaker {
  let home: HomeDirectory
  /// Names the folder for a store that is set aside, and the device.
  let moment: Moment
  let options: StoreOptions

  /// Opens the file, after creating or repairing it if needed.
  func open(_ report: inout OpeningReport) throws(LocalStoreError) -> Connection {
    try finishReplacement(&report)
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

  /// Checks a file that showed damage. Repairs single rows if that is enough, and sets the file aside if the file
  /// itself is damaged. Another process may have done so already.
  func repair(_ report: inout OpeningReport) throws(LocalStoreError) {
    try finishReplacement(&report)
    rewriteSchema(&report)
    do {
      let connection = try openCurrent()
      defer { connection.close() }
      if try SchemaText(of: connection).holds(Migrator.client.schema()), try connection.integrityCheck().isEmpty,
        try !StoreReading(connection).hasUnreadableEntities()
      {
        return try connection.write { try repairRows(StoreTransaction(connection)) }
      }
    } catch {
      guard error.isDamage else { throw LocalStoreError(any: error) }
    }
    try replace(&report)
  }

  private func repairRows(_ transaction: StoreTransaction) throws {
    let identifiers = IdentifierSource(moment: moment, random: options.random)
    guard try RowRepair(transaction: transaction, identifiers: identifiers).repairInPlace() > 0 else { return }
    // An alert that no row of the queue names any more is queued again.
    try transaction.requeueNeverAccepted(identifiers)
  }

  /// nil if the file is damaged. SQLite reports some failed reads as damage too: only damage that shows twice counts.
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
      if try !Migrator.client.isCurrent(connection) || !StoreReading(connection).hasDeviceID() {
        try initialize(connection)
      }
    } catch {
      defer { connection.close() }
      throw isOfTheSchema(error, connection) ? SQLiteError.damage("its schema does not match its migrations") : error
    }
    return connection
  }

  /// The device's id comes last: a store that has it is complete, and one that has not is initialized again.
  private func initialize(_ connection: Connection) throws {
    try Migrator.client.migrate(connection)
    try noteInitialized()
    try connection.write {
      try StoreTransaction(connection).setDeviceID(DeviceID(versionSevenAt: moment.wall, random: options.random()))
    }
  }
}

// The schema's text.
extension StoreMaker {
  private func isOfTheSchema(_ error: any Error, _ connection: Connection) -> Bool {
    guard (error as? SQLiteError)?.mayBeOfTheSchema == true else { return false }
    return (try? SchemaText(of: connection).holds(Migrator.client.schema())) == false
  }

  /// Rewrites a damaged schema in place, which loses no row, as setting the file aside might. False if the schema is
  /// not damaged, or cannot be repaired.
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
    report.hasRepairedSchema = true
    return true
  }
}

// What is left of a store whose file is gone.
extension StoreMaker {
  /// Sets aside the log of a store whose file is missing or empty: SQLite would remove it, and it may hold the last
  /// alerts.
  private func setAsideRemains(_ report: inout OpeningReport) throws(LocalStoreError) {
    guard try FileSystem.status(home.databasePath)?.byteCount ?? 0 == 0 else { return }
    let logBytes = try FileSystem.status(home.logPath)?.byteCount ?? 0
    let wasInitialized = try FileSystem.status(home.storeLockPath)?.byteCount ?? 0 > 0
    guard logBytes > 0 || wasInitialized else { return }
    try replace(&report)
  }

  /// Whether nothing was ever written to the file, so that there is nothing to set aside.
  private func isBlank() throws(LocalStoreError) -> Bool {
    try FileSystem.status(home.databasePath)?.byteCount ?? 0 == 0
  }

  /// Notes in `store.lock` that there has been a store.
  private func noteInitialized() throws {
    guard let file = FileDescriptor(opening: home.storeLockPath, O_WRONLY) else {
      throw LocalStoreError(errorNumber: errno, "note that there is a store")
    }
    guard pwrite(file.number, "made\n", 5, 0) == 5 else {
      throw LocalStoreError(errorNumber: errno, "note that there is a store")
    }
  }
}

// Setting aside.
extension StoreMaker {
  /// Sets the file aside and puts a new one in its place, with everything that could be read of the old one.
  ///
  /// A crash at any point leaves the old file under its name, or a replacement that is complete, for
  /// `finishReplacement`.
  private func replace(_ report: inout OpeningReport) throws(LocalStoreError) {
    let folder = try linkIntoDamagedFolder()
    if let folder { report.setAsidePath = folder }
    report.salvaged = try makeReplacement(from: folder ?? home.path)
    try finishReplacement(&report)
  }

  private func makeDamagedFolder() throws(LocalStoreError) -> String {
    try options.willChangeStoreFile?(.makeFolder)
    let digits = moment.wall.description.prefix(19).filter { $0 != "-" && $0 != ":" }
    for number in 1...1000 {
      let path = "\(home.path)/damaged-\(digits)Z-\(number)"
      if mkdir(path, 0o700) == 0 {
        try FileSystem.setPermissions(path, 0o700)
        return path
      }
      guard errno == EEXIST else { throw LocalStoreError(errorNumber: errno, "set the damaged data aside") }
    }
    throw LocalStoreError(.cannotOpen, "cannot set the damaged data aside: there are too many copies")
  }

  /// Gives the store's files second names in a new folder. Gives nil, with everything as it was, where the file system
  /// has no second names: the files then keep their only ones until the replacement is complete.
  private func linkIntoDamagedFolder() throws(LocalStoreError) -> String? {
    let folder = try makeDamagedFolder()
    for path in [home.databasePath, home.logPath, home.sharedMemoryPath] where FileSystem.exists(path) {
      guard try link(path, into: folder) else {
        for name in try FileSystem.names(in: folder) { try FileSystem.remove("\(folder)/\(name)") }
        guard rmdir(folder) == 0 else { throw LocalStoreError(errorNumber: errno, "remove \(folder)") }
        return nil
      }
    }
    try FileSystem.syncFolder(folder)
    return folder
  }

  private func link(_ path: String, into folder: String) throws(LocalStoreError) -> Bool {
    try options.willChangeStoreFile?(.link)
    return options.fileSystemHasLinks && Glibc.link(path, "\(folder)/\(name(of: path))") == 0
  }

  private func name(of path: String) -> Substring { path[path.index(home.path.endIndex, offsetBy: 1)...] }

  /// - Parameter folder: holds the damaged store, by any of its names.
  private func makeReplacement(from folder: String) throws(LocalStoreError) -> OpeningReport.Salvaged {
    let path = home.replacementPath + ".partial"
    for suffix in ["", "-wal", "-shm"] { try remove(path + suffix) }
    let salvaged: OpeningReport.Salvaged
    do {
      try FileSystem.makeFile(path)
      let connection = try Connection(path: path, options: options.connection)
      defer { connection.close() }
      try Migrator.client.migrate(connection)
      salvaged = try Salvage(folder: folder, moment: moment, options: options).run(into: connection)
      guard try connection.checkpoint() else { throw LocalStoreError(.busy, "the repaired data is in use") }
    } catch {
      throw LocalStoreError(any: error)
    }
    for suffix in ["-wal", "-shm"] { try remove(path + suffix) }
    try rename(path, to: home.replacementPath)
    try syncHome()
    return salvaged
  }

  /// Puts a replacement in its place, if there is one. The old log goes first: it must never be read with the new file.
  private func finishReplacement(_ report: inout OpeningReport) throws(LocalStoreError) {
    guard FileSystem.exists(home.replacementPath) else { return }
    try moveUnlinkedFiles(&report)
    try remove(home.logPath)
    try remove(home.sharedMemoryPath)
    try rename(home.replacementPath, to: home.databasePath)
    try syncHome()
  }

  /// Moves the damaged store's files aside, where this is their only name: the replacement is about to take it.
  private func moveUnlinkedFiles(_ report: inout OpeningReport) throws(LocalStoreError) {
    var unlinked: [String] = []
    for path in [home.databasePath, home.logPath] where try hasOnlyName(path) { unlinked.append(path) }
    guard !unlinked.isEmpty else { return }
    let folder = try makeDamagedFolder()
    report.setAsidePath = folder
    for path in unlinked { try rename(path, to: "\(folder)/\(name(of: path))") }
    try FileSystem.syncFolder(folder)
  }

  /// Whether the file holds something, and has no second name. A file system without links says so of every file.
  private func hasOnlyName(_ path: String) throws(LocalStoreError) -> Bool {
    var status = stat()
    guard stat(path, &status) == 0 else {
      guard errno == ENOENT else { throw LocalStoreError(errorNumber: errno, "read \(path)") }
      return false
    }
    return status.st_nlink < 2 && status.st_size > 0
  }

  private func rename(_ path: String, to newPath: String) throws(LocalStoreError) {
    try options.willChangeStoreFile?(.rename)
    try FileSystem.rename(path, to: newPath)
  }

  private func remove(_ path: String) throws(LocalStoreError) {
    try options.willChangeStoreFile?(.remove)
    try FileSystem.remove(path)
  }

  private func syncHome() throws(LocalStoreError) {
    try options.willChangeStoreFile?(.sync)
    try FileSystem.syncFolder(home.path)
  }
}

extension Migrator {
  /// The device's schema, embedded.
  static let client = Migrator(embedded: lifesignal_schema_client_migration)
}

extension StoreReading {
  func hasDeviceID() throws(SQLiteError) -> Bool {
    try hasRow("SELECT 1 FROM sync_state WHERE key = 'device_id'")
  }
}

extension StoreTransaction {
  /// Gives the store its device's id, unless it has one.
  func setDeviceID(_ id: DeviceID) throws {
    try run(
      "INSERT INTO sync_state (key, value) VALUES ('device_id', ?) ON CONFLICT (key) DO NOTHING", SQLiteValue(id))
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

package import Model
import SQLiteKit
package import SystemKit

/// The device's store: alerts, contacts, the queue for the server, and the state of the sync.
///
/// Several processes and threads may use one folder. Every function is one transaction, blocks the caller for as long as the disk takes,
/// and throws `LocalStoreError`. A function that returns has committed.
package final class LocalStore: Sendable {
  package let home: HomeDirectory
  let options: StoreOptions
  let file: StoreFile

  private init(home: HomeDirectory, options: StoreOptions, file: StoreFile) {
    self.home = home
    self.options = options
    self.file = file
  }

  /// Opens the folder's store, and makes both if they are missing. Sets a damaged file aside, salvages what can be read of it, and
  /// imports the spool; `report` says what happened.
  ///
  /// - Parameter deadline: limits all its waits together; nil: the options' timeouts.
  /// - Throws: if there can be no store; `Spool.write` may still save an alert then.
  package static func open(
    _ home: HomeDirectory, options: StoreOptions = .live, at moment: Moment, deadline: Deadline? = nil
  ) throws(LocalStoreError) -> LocalStore {
    let file = try StoreFile(home, options: options, at: moment, deadline: deadline)
    let store = LocalStore(home: home, options: options, file: file)
    store.takeInSpool(at: moment, until: deadline)
    SpaceReserve.keep(in: home)
    return store
  }

  package var report: OpeningReport { file.report }

  deinit {
    file.close()
  }

  /// Closes the file; later calls throw `cannotOpen`.
  package func close() {
    file.close()
  }

  func identifiers(at moment: Moment) -> IdentifierSource {
    IdentifierSource(moment: moment, random: options.random)
  }

  /// Runs a write transaction that queues something, and notifies the process that syncs.
  func writeAndPoke<Result: Sendable>(
    until deadline: Deadline? = nil, isDurable: ((StoreReading) throws -> Bool)? = nil,
    _ body: (StoreTransaction) throws -> Result
  ) throws(LocalStoreError) -> Result {
    let result = try file.write(until: deadline, isDurable: isDurable, body)
    home.poke()
    return result
  }
}

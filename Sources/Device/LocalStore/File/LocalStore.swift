package import Model
import SQLiteKit
package import SystemKit

/// The device's store: alerts, contacts, what is queued for the server, and how far they agree.
///
/// Several processes and threads may use one folder. Every function is one transaction, blocks the caller for as long as a
/// disk takes, and throws `LocalStoreError`. A function that returns has committed.
package final class LocalStore: Sendable {
  package let home: HomeDirectory
  let options: StoreOptions
  let file: StoreFile

  private init(home: HomeDirectory, options: StoreOptions, file: StoreFile) {
    self.home = home
    self.options = options
    self.file = file
  }

  /// Opens the folder's store, and makes both where they are missing. A damaged file is set aside first, what can be
  /// read of it is saved, and the spool is taken in; `report` tells.
  ///
  /// - Parameter deadline: for all that it has to wait for; nil: the options' timeouts.
  /// - Throws: where there can be no store; `Spool.write` may still take an alert then.
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

  /// Closes the file; what is called later throws `cannotOpen`.
  package func close() {
    file.close()
  }

  func identifiers(at moment: Moment) -> IdentifierSource {
    IdentifierSource(moment: moment, random: options.random)
  }

  /// A write transaction that queues something: whoever speaks to the server is told.
  func writeAndPoke<Result: Sendable>(
    until deadline: Deadline? = nil, isDurable: ((Connection) throws -> Bool)? = nil,
    _ body: (Connection) throws -> Result
  ) throws(LocalStoreError) -> Result {
    let result = try file.write(until: deadline, isDurable: isDurable, body)
    home.poke()
    return result
  }
}

import DeviceCore
import Dispatch
import Glibc
import LocalStore
import SystemKit

/// A device of LifeSignal: raises alerts that survive anything but the loss of the disk, and follows them to the responders.
///
/// ```swift
/// let client = try LifeSignalClient.open(home: folder)
/// let raised = try await client.activateAlert(message: "fell on the north ridge")
/// Task { await client.keepSyncing { problem in show(problem) } }
/// for await status in client.statuses() { show(status) }
/// ```
///
/// A client can be created on a device whose store is damaged, read-only or full: an alert then goes to a file of its own, and the
/// other functions throw. Several clients, and several processes, may use one folder.
///
/// Nothing here blocks Swift's cooperative threads. Raising an alert, the store, a sync and a sign-in each have their own queue: raising
/// an alert waits neither for the network nor for other work on the store, and a sign-in does not wait for a sync.
public final class LifeSignalClient: Sendable {
  let home: HomeDirectory
  private let options: StoreOptions
  /// Where the battery level is read.
  let powerSupply: String
  private let opened = Lock<LocalStore?>(nil)
  let storeQueue = DispatchQueue(label: "lifesignal.store", qos: .userInitiated)
  /// Only for raising alerts.
  let alertQueue = DispatchQueue(label: "lifesignal.alert", qos: .userInitiated)
  /// Watches for all streams, on `storeQueue`.
  let observers: HomeObservers
  /// The codes that this client requested and that may still be confirmed.
  let sentCodes = SentCodes()
  let networkQueue = DispatchQueue(label: "lifesignal.network")
  /// Separate, because a sync takes up to thirty seconds and a sign-in must not wait for it.
  let syncQueue = DispatchQueue(label: "lifesignal.sync")
  /// Computes for up to some minutes. A queue of its own has a thread of its own, which Swift's tasks do not wait for.
  let workQueue = DispatchQueue(label: "lifesignal.work")

  private init(home: HomeDirectory, options: StoreOptions, powerSupply: String) {
    self.home = home
    self.options = options
    self.powerSupply = powerSupply
    observers = HomeObservers(home, queue: storeQueue)
  }

  /// A client of the device with the folder `home`, by default the one that the command line uses: `$LIFESIGNAL_HOME` and so on.
  ///
  /// Opens no file yet. Throws `notSaved` if no folder is configured anywhere.
  public static func open(home: String? = nil) throws(LifeSignalError) -> LifeSignalClient {
    try open(home: home, powerSupply: Battery.folder)
  }

  /// The same, with the battery level read in another folder than the kernel's.
  package static func open(home: String?, powerSupply: String) throws(LifeSignalError) -> LifeSignalClient {
    do throws(LocalStoreError) {
      let folder = try HomeDirectory.resolve(option: home) { name in getenv(name).map { String(cString: $0) } }
      return LifeSignalClient(home: folder, options: .live, powerSupply: powerSupply)
    } catch {
      throw LifeSignalError(.notSaved, "no folder for the store: name one, or set LIFESIGNAL_HOME")
    }
  }

  /// The store, opened on first use, or on the next call if that failed. Call on one of the queues.
  func store() throws(LocalStoreError) -> LocalStore {
    let result = opened.withLock { opened -> Result<LocalStore, LocalStoreError> in
      if let opened { return .success(opened) }
      do throws(LocalStoreError) {
        let store = try LocalStore.open(home, options: options, at: DeviceClock.now())
        opened = store
        return .success(store)
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  /// The store if it is already open; does not wait for it to open.
  var storeIfOpen: LocalStore? { opened.withLockIfAvailable { $0 } ?? nil }

  /// Keeps a store that was opened elsewhere for later calls, unless there is one.
  func keepOpen(_ store: LocalStore?) {
    opened.withLockIfAvailable { if $0 == nil { $0 = store } }
  }

  /// Runs `work` on `queue` while the caller is suspended, and goes on where the caller was: `nonisolated(nonsending)` saves two changes of
  /// threads, here and in what calls it.
  nonisolated(nonsending) func run<Value: Sendable>(
    on queue: DispatchQueue, _ work: @escaping @Sendable () -> Result<Value, LifeSignalError>
  ) async throws(LifeSignalError) -> Value {
    let result = await withCheckedContinuation { continuation in
      queue.async { continuation.resume(returning: work()) }
    }
    return try result.get()
  }

  /// Runs `work` with the store, on its queue.
  nonisolated(nonsending) func withStore<Value: Sendable>(
    _ work: @escaping @Sendable (LocalStore) throws(LocalStoreError) -> Value
  ) async throws(LifeSignalError) -> Value {
    try await run(on: storeQueue) { [self] in
      do throws(LocalStoreError) {
        return .success(try work(try store()))
      } catch {
        return .failure(LifeSignalError(error))
      }
    }
  }
}

import CFaultVFS
import Synchronization

/// One machine's disk, which SQLite sees as the VFS of this name. It fails on demand, and loses what was not synced when its
/// power is cut. See `fault_vfs.h`.
package final class FaultDisk: @unchecked Sendable {
  // The C side counts faults with atomics; everything else is called on the one thread that owns the disk.
  private let handle: OpaquePointer
  /// For `StoreOptions.vfs` and `SQLiteServerStore.open`.
  package let name: String

  /// A VFS name cannot be unregistered, so released disks are reused.
  private static let pool = Mutex<(made: Int, free: [Registered])>((0, []))

  private struct Registered: @unchecked Sendable {
    // Owned by the pool, or by the disk that took it out.
    let handle: OpaquePointer
    let name: String
  }

  /// - Parameter keepsUnsynced: whether a power cut loses what was not synced; costs memory and time.
  package init(keepsUnsynced: Bool = false) {
    let registered = Self.pool.withLock { pool in
      if let free = pool.free.popLast() { return free }
      pool.made += 1
      let name = "lifesignal-fault-\(pool.made)"
      guard let handle = lifesignal_fault_vfs_register(name) else { fatalError("SQLite takes no VFS") }
      return Registered(handle: handle, name: name)
    }
    handle = registered.handle
    name = registered.name
    lifesignal_fault_vfs_reset(handle)
    lifesignal_fault_vfs_keep_unsynced(handle, keepsUnsynced ? 1 : 0)
  }

  deinit {
    lifesignal_fault_vfs_reset(handle)
    let registered = Registered(handle: handle, name: name)
    Self.pool.withLock { $0.free.append(registered) }
  }

  /// Resets faults, processes and the record of unsynced writes; the files stay as they are.
  package func reset() { lifesignal_fault_vfs_reset(handle) }
}

// Failing operations.
extension FaultDisk {
  package func fail(at operation: Int, code: Int32, forever: Bool, applies: Bool) {
    lifesignal_fault_vfs_arm(handle, operation, code, forever ? 1 : 0, applies ? 1 : 0)
  }

  package func heal() { fail(at: -1, code: 0, forever: false, applies: false) }

  /// Makes one read fail. Reads do not count as `operations`.
  package func failRead(at number: Int) { lifesignal_fault_vfs_fail_read(handle, number) }

  /// Whether that read is still to come.
  package var willFailRead: Bool { lifesignal_fault_vfs_will_fail_read(handle) != 0 }

  /// Operations since `fail` or `heal`.
  package var operations: Int { lifesignal_fault_vfs_count(handle) }
}

// Processes and power.
extension FaultDisk {
  package func setProcess(_ process: Int) { lifesignal_fault_vfs_set_process(handle, Int32(process)) }

  /// An operation on a file outside of SQLite: 0 if it is to be carried out, the code with which it fails, or nil if the
  /// process is dead.
  package func operate(_ process: Int) -> Int32? {
    let code = lifesignal_fault_vfs_operation(handle, Int32(process))
    return code < 0 ? nil : code
  }

  package func kill(_ process: Int) { lifesignal_fault_vfs_kill(handle, Int32(process)) }

  package func kill(_ process: Int, at operation: Int) {
    lifesignal_fault_vfs_kill_at(handle, Int32(process), operation)
  }

  package func spare(_ process: Int) { kill(process, at: -1) }

  package func isKilled(_ process: Int) -> Bool { lifesignal_fault_vfs_is_killed(handle, Int32(process)) != 0 }

  package func cutPower(at operation: Int) { lifesignal_fault_vfs_cut_at(handle, operation) }

  package var isCut: Bool { lifesignal_fault_vfs_is_cut(handle) != 0 }

  /// Cancels a planned power cut.
  package func keepPower() { cutPower(at: -1) }

  /// Makes the files what a power cut leaves. All connections must be closed, or their processes dead.
  /// - Returns: the number of unsynced writes that were lost or torn.
  @discardableResult
  package func losePower(seed: UInt64) -> Int {
    let lost = lifesignal_fault_vfs_power_cut(handle, seed)
    guard lost >= 0 else { fatalError("the real disk failed") }
    return lost
  }
}

/// What happened on a disk.
package struct DiskCounts: Hashable, Sendable {
  package var syncs = 0
  package var struck = 0
  package var lost = 0
  package var torn = 0
}

extension FaultDisk {
  /// Since the VFS was registered, possibly for an earlier disk.
  package var counts: DiskCounts {
    DiskCounts(
      syncs: lifesignal_fault_vfs_syncs(handle), struck: lifesignal_fault_vfs_struck(handle),
      lost: lifesignal_fault_vfs_lost(handle), torn: lifesignal_fault_vfs_torn(handle))
  }
}

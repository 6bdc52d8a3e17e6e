import CFaultVFS
import Glibc
import Synchronization

/// The disk of one machine: a folder of real files behind a VFS that fails, forgets and tears on demand.
///
/// Processes of the machine are numbers. A dead one changes nothing any more, whatever its code still tries.
final class MachineDisk {
  let folder: String
  let vfsName: String
  private let vfs: OpaquePointer
  private var lastProcess: Int32 = 0
  private var currentProcess: Int32 = 0

  /// The folder is made empty.
  init(folder: String) {
    self.folder = folder
    let (name, handle) = VFSPool.take()
    (vfsName, vfs) = (name, handle)
    lifesignal_fault_vfs_reset(vfs)
    lifesignal_fault_vfs_keep_unsynced(vfs, 1)
    mkdir(folder, 0o700)
  }

  deinit {
    VFSPool.giveBack(vfsName, vfs)
  }

  // MARK: Processes

  /// A new process, to which the files belong that are opened in `run`.
  func newProcess() -> Int32 {
    lastProcess = (lastProcess + 1) % 64
    return lastProcess
  }

  /// Opens what is opened inside for `process`.
  func opening<Result>(for process: Int32, _ body: () throws -> Result) rethrows -> Result {
    let outer = currentProcess
    currentProcess = process
    lifesignal_fault_vfs_set_process(vfs, process)
    defer {
      currentProcess = outer
      lifesignal_fault_vfs_set_process(vfs, outer)
    }
    return try body()
  }

  func kill(_ process: Int32) { lifesignal_fault_vfs_kill(vfs, process) }

  // MARK: Faults

  /// The process, or with `nil` the whole machine, dies before its operation number `operation` from now on.
  func armDeath(of process: Int32?, before operation: Int) {
    if let process {
      lifesignal_fault_vfs_kill_at(vfs, process, operation)
    } else {
      lifesignal_fault_vfs_cut_at(vfs, operation)
    }
  }

  func disarmDeath(of process: Int32?) {
    if let process {
      lifesignal_fault_vfs_kill_at(vfs, process, -1)
    } else {
      lifesignal_fault_vfs_cut_at(vfs, -1)
    }
  }

  func isDead(_ process: Int32) -> Bool {
    lifesignal_fault_vfs_is_cut(vfs) != 0 || lifesignal_fault_vfs_is_killed(vfs, process) != 0
  }

  var isWithoutPower: Bool { lifesignal_fault_vfs_is_cut(vfs) != 0 }

  /// One operation fails with this SQLite code; `applies`: it is done all the same.
  func armError(_ code: Int32, at operation: Int, forever: Bool, applies: Bool) {
    lifesignal_fault_vfs_arm(vfs, operation, code, forever ? 1 : 0, applies ? 1 : 0)
  }

  func disarmError() { lifesignal_fault_vfs_arm(vfs, -1, 0, 0, 0) }

  /// What the disk holds after the power failed. All files must be closed, or their processes dead.
  /// - Returns: how many unsynced writes were lost or torn.
  func loseUnsynced(seed: UInt64) -> Int {
    let lost = lifesignal_fault_vfs_power_cut(vfs, seed)
    lifesignal_fault_vfs_keep_unsynced(vfs, 1)
    return lost
  }

  func bytes(of name: String) -> Int {
    var status = stat()
    return stat("\(folder)/\(name)", &status) == 0 ? Int(status.st_size) : 0
  }

  /// Copies files that nobody has open, to the same names with the suffix or back. A file that is not there takes the copy away.
  /// The copies are taken for synced.
  func copy(_ names: [String], suffix: String, isBack: Bool) {
    lifesignal_fault_vfs_reset(vfs)
    lifesignal_fault_vfs_keep_unsynced(vfs, 1)
    for name in names {
      let (here, there) = ("\(folder)/\(name)", "\(folder)/\(name)\(suffix)")
      Self.copyFile(isBack ? there : here, to: isBack ? here : there)
      unlink("\(here)-shm")
    }
  }

  private static func copyFile(_ source: String, to target: String) {
    unlink(target)
    let reader = open(source, O_RDONLY | O_CLOEXEC)
    guard reader >= 0 else { return }
    defer { close(reader) }
    let writer = open(target, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard writer >= 0 else { return }
    defer { close(writer) }
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(reader, &buffer, buffer.count)
      guard count > 0, write(writer, buffer, count) == count else { return }
    }
  }

  /// Removes a file that SQLite does not know.
  func remove(_ name: String) { unlink("\(folder)/\(name)") }

  static func remove(_ folder: String) {
    guard let stream = opendir(folder) else { return }
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      guard name != "." && name != ".." else { continue }
      let path = "\(folder)/\(name)"
      if unlink(path) != 0 { remove(path) }
    }
    closedir(stream)
    rmdir(folder)
  }
}

/// VFS names are never taken away from SQLite, so they are used again.
private enum VFSPool {
  private struct Free {
    var names: [(String, Handle)] = []
    var made = 0
  }

  private struct Handle: @unchecked Sendable {
    // Used by one machine at a time.
    let pointer: OpaquePointer
  }

  private static let free = Mutex(Free())

  static func take() -> (String, OpaquePointer) {
    free.withLock { free in
      if let (name, handle) = free.names.popLast() { return (name, handle.pointer) }
      free.made += 1
      let name = "machine-\(free.made)"
      guard let handle = lifesignal_fault_vfs_register(name) else { fatalError("no memory for a VFS") }
      return (name, handle)
    }
  }

  static func giveBack(_ name: String, _ pointer: OpaquePointer) {
    let handle = Handle(pointer: pointer)
    free.withLock { $0.names.append((name, handle)) }
  }
}

/// What disks answer when they fail.
enum SimulatedDisk {
  /// SQLITE_FULL, SQLITE_IOERR_WRITE, SQLITE_IOERR_FSYNC.
  static let errors: [Int32] = [13, 10 | 3 << 8, 10 | 4 << 8]
}

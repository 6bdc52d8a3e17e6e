import Glibc
import LocalStore
import TestSupport

/// The disk of one machine: a folder of real files behind a VFS that fails, forgets and tears writes on demand.
///
/// A machine's processes are numbers. A dead process changes nothing any more, whatever its code still tries.
final class MachineDisk: @unchecked Sendable {
  // The simulation has one thread.
  let folder: String
  private var files = SimulatedFiles()
  var vfsName: String { disk.name }
  private let disk = FaultDisk(keepsUnsynced: true)
  private var lastProcess: Int32 = 0
  private var currentProcess: Int32 = 0

  /// The folder is emptied.
  init(folder: String) {
    self.folder = folder
    mkdir(folder, 0o700)
  }

  // MARK: Processes

  /// A new process, which owns the files that are opened in `opening(for:)`.
  func newProcess() -> Int32 {
    lastProcess = (lastProcess + 1) % 64
    return lastProcess
  }

  /// Runs `body`, whose files belong to `process`.
  func opening<Result>(for process: Int32, _ body: () throws -> Result) rethrows -> Result {
    let outer = currentProcess
    currentProcess = process
    disk.setProcess(Int(process))
    defer {
      currentProcess = outer
      disk.setProcess(Int(outer))
    }
    return try body()
  }

  func kill(_ process: Int32) { disk.kill(Int(process)) }

  // MARK: Faults

  /// The process, or with `nil` the whole machine, dies before its operation number `operation` from now.
  func armDeath(of process: Int32?, before operation: Int) {
    if let process {
      disk.kill(Int(process), at: operation)
    } else {
      disk.cutPower(at: operation)
    }
  }

  func disarmDeath(of process: Int32?) {
    if let process {
      disk.spare(Int(process))
    } else {
      disk.keepPower()
    }
  }

  func isDead(_ process: Int32) -> Bool {
    disk.isCut || disk.isKilled(Int(process))
  }

  var isWithoutPower: Bool { disk.isCut }

  /// Makes one operation fail with this SQLite code; `applies`: it is carried out all the same.
  func armError(_ code: Int32, at operation: Int, forever: Bool, applies: Bool) {
    disk.fail(at: operation, code: code, forever: forever, applies: applies)
  }

  func disarmError() { disk.heal() }

  /// Leaves on the disk what survives a power cut. All files must be closed, or their processes dead.
  /// - Returns: the number of unsynced writes that were lost or torn.
  func loseUnsynced(seed: UInt64) -> Int {
    var random = SimulatedRandom(seed: seed)
    let before = files.lost
    files.loseUnsynced(&random)
    return disk.losePower(seed: seed) + files.lost - before
  }

  func bytes(of name: String) -> Int {
    var status = stat()
    return stat("\(folder)/\(name)", &status) == 0 ? Int(status.st_size) : 0
  }

  /// Copies files that nobody has open, to the same names with the suffix or back. A missing file removes its copy. The copies
  /// count as synced.
  func copy(_ names: [String], suffix: String, isBack: Bool) {
    disk.reset()
    for name in names {
      let (here, there) = ("\(folder)/\(name)", "\(folder)/\(name)\(suffix)")
      Self.copyFile(isBack ? there : here, to: isBack ? here : there)
      unlink("\(here)-shm")
    }
  }

  private static func copyFile(_ source: String, to target: String) {
    unlink(target)
    if let bytes = readFile(source) { writeFile(bytes, target) }
  }

}

// The spool and the configuration.
extension MachineDisk: PlainDisk {
  func will(_ operation: PlainOperation) throws(LocalStoreError) {
    switch disk.operate(Int(currentProcess)) {
    case 0?: files.note(operation)
    case DiskFault.full?: throw LocalStoreError(.diskFull, "the disk is full")
    case _?: throw LocalStoreError(.inputOutput, "the disk failed")
    case nil: throw LocalStoreError(.inputOutput, "the process is dead")
    }
  }
}

/// The errors of failing disks.
enum SimulatedDisk {
  static let errors = [DiskFault.full, DiskFault.writeError, DiskFault.syncError]
}

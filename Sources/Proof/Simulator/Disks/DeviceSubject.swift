import LocalStore
import Model
import Synchronization
import TestSupport

/// The device's store under test, through all of its writing calls.
package final class DeviceSubject: DiskSubject {
  package static let name = "device"
  package static let databaseName = "store.sqlite"
  /// Differs with each transaction.
  package static let ignoredKey: String? = "write_mark"
  package static var steps: [String] { DeviceScript.steps.map(\.name) }

  private var store: LocalStore?
  private let random = StepRandom()

  package init(_ memory: StepMemory) {}

  package func open(_ folder: String, vfs: String?, checkpointPages: Int) throws {
    random.begin(.opening)
    let options = StoreOptions(vfs: vfs, random: { [random] in random.next() }, checkpointPages: checkpointPages)
    let store = try LocalStore.open(HomeDirectory(path: folder), options: options, at: DeviceScript.moment)
    self.store = store
    if let path = store.report.setAsidePath { throw SetAside(path: path) }
  }

  package func perform(_ step: Int) throws -> StepEnd {
    guard let store else { throw LocalStoreError(.cannotOpen, "no store") }
    random.begin(.step(step))
    return try DeviceScript.steps[step].body(store, random)
  }

  package func close() {
    store?.close()
    store = nil
  }

  /// The spool.
  package static func plainFiles(in folder: String) -> [String] {
    let path = HomeDirectory(path: folder).spoolPath
    return listFolder(path).map { "\(path)/\($0)" }
  }

  /// A power cut or a failing disk must not make the store look damaged.
  struct SetAside: Error {
    let path: String
  }
}

/// Random bits that give the same ids for the same step, whatever happened before it. The bits that ids do not use differ each
/// time, because a transaction's mark uses all of them.
final class StepRandom: @unchecked Sendable {
  // A trial runs on one thread, and so does the store that it calls.
  enum Use {
    case opening
    case step(Int)
  }

  private var number: UInt64 = 0
  private static let uses = Atomic<UInt64>(0)
  private var use: UInt64 = 0

  func begin(_ use: Use) {
    self.use = Self.uses.add(1, ordering: .relaxed).newValue
    switch use {
    case .opening: number = 0
    case .step(let step): number = UInt64(step + 1) << 16
    }
  }

  func next() -> (UInt64, UInt64) {
    number += 1
    return (number & 0xFFF | use << 16, number)
  }

  /// The id that the step's draw number `draw`, from 1, gives.
  static func identifier<Subject>(ofStep step: Int, draw: UInt64 = 1) -> Identifier<Subject> {
    let number = UInt64(step + 1) << 16 + draw
    return Identifier(versionSevenAt: DeviceScript.moment.wall, random: (number & 0xFFF, number))
  }
}

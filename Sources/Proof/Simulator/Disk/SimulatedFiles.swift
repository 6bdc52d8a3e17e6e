import Glibc
import LocalStore
import Synchronization
import TestSupport

/// What a machine's disk knows of its small files: what is synced, and what a power cut may take or tear.
///
/// The files themselves are real. A file's name and its contents are synced apart: after a power cut a synced file may lack its
/// name if the folder was not synced, and a name may belong to an empty file.
struct SimulatedFiles {
  private struct Content {
    var bytes: [UInt8] = []
    /// Nil if nothing of it was synced.
    var synced: [UInt8]?
  }

  /// A name change that no sync of the folder has covered.
  private enum NameChange {
    case add(String, file: Int)
    case remove(String)
    case rename(String, to: String, file: Int)
  }

  private var contents: [Int: Content] = [:]
  private var names: [String: Int] = [:]
  private var syncedNames: [String: Int] = [:]
  private var changes: [(folder: String, change: NameChange)] = []
  private var lastFile = 0
  /// The number of changes that power cuts took or tore.
  private(set) var lost = 0

  mutating func note(_ operation: PlainOperation) {
    switch operation {
    case .make(let path):
      lastFile += 1
      contents[lastFile] = Content()
      names[path] = lastFile
      add(.add(path, file: lastFile), of: path)
    case .write(let path, let bytes): if let file = names[path] { contents[file]?.bytes += bytes }
    case .sync(let path):
      guard let file = names[path], let bytes = contents[file]?.bytes else { return }
      contents[file]?.synced = bytes
    case .rename(let old, let new):
      guard let file = names.removeValue(forKey: old) else { return }
      names[new] = file
      add(.rename(old, to: new, file: file), of: new)
    case .remove(let path):
      if names.removeValue(forKey: path) != nil { add(.remove(path), of: path) }
    // The store syncs the parent of a new folder at once.
    case .makeFolder: break
    case .syncFolder(let folder):
      for (_, change) in changes where Self.isChange(change, in: folder) { Self.apply(change, to: &syncedNames) }
      changes.removeAll { $0.folder == folder }
    }
  }

  private mutating func add(_ change: NameChange, of path: String) {
    changes.append((Self.folder(of: path), change))
  }

  private static func folder(of path: String) -> String {
    String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
  }

  private static func isChange(_ change: NameChange, in folder: String) -> Bool {
    switch change {
    case .add(let path, _), .remove(let path), .rename(_, let path, _): self.folder(of: path) == folder
    }
  }

  private static func apply(_ change: NameChange, to names: inout [String: Int]) {
    switch change {
    case .add(let path, let file): names[path] = file
    case .remove(let path): names[path] = nil
    case .rename(let old, let new, let file):
      names[old] = nil
      names[new] = file
    }
  }

  /// Cuts the power: each unsynced name change has happened or not, independently of the others, and part of a file's unsynced
  /// contents is there.
  mutating func loseUnsynced(_ random: inout SimulatedRandom) {
    var left = syncedNames
    for (_, change) in changes {
      if random.chance(0.5) { Self.apply(change, to: &left) } else { lost += 1 }
    }
    for path in names.keys where left[path] == nil { unlink(path) }
    for path in left.keys.sorted() {
      guard let file = left[path], let content = contents[file] else { continue }
      var bytes = content.synced ?? []
      if content.synced != content.bytes, content.bytes.count > bytes.count {
        bytes = Array(content.bytes.prefix(Int(random.number(Int64(bytes.count)...Int64(content.bytes.count)))))
        lost += 1
      }
      contents[file] = Content(bytes: bytes, synced: bytes)
      writeFile(bytes, path)
    }
    names = left
    syncedNames = left
    changes = []
  }
}

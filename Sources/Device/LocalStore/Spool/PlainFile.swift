import Glibc
import PlantedBugs
import SystemKit

/// Small files that are read and written whole, with the store's errors: the spool's, the configuration.
enum PlainFile {
  /// The file's bytes; nil where there is none. Throws where it has more than `maximumBytes`.
  static func read(_ path: String, maximumBytes: Int) throws(LocalStoreError) -> [UInt8]? {
    do throws(SystemError) {
      return try WholeFile.read(path, maximumBytes: maximumBytes)
    } catch {
      throw error.number == EFBIG ? LocalStoreError(.cannotOpen, "\(path) is too large") : LocalStoreError(error)
    }
  }

  /// Makes the file with these bytes, mode 0600, durably: the file and its folder are synced. Nothing appears under `path`
  /// before it is whole; one that is there is replaced.
  static func write(_ bytes: [UInt8], to path: String, on disk: (any PlainDisk)?) throws(LocalStoreError) {
    let temporary = path + ".\(getpid()).partial"
    try LocalStoreError.mapping { () throws(SystemError) in
      try WholeFile.replace(
        path, with: bytes, through: temporary,
        durability: PlantedBug.folderNotSynced.isPlanted ? .contents : .contentsAndName, before: disk?.hook)
    }
  }
}

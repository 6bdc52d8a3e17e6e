/// The disk under the small files that are no database: the spool's and the configuration. It is asked before each operation that
/// changes something, and throws where that fails or where the process is dead. A simulator's disk forgets what was not synced.
package protocol PlainDisk: AnyObject, Sendable {
  func will(_ operation: PlainOperation) throws(LocalStoreError)
}

/// One system call on a small file. Paths are as the caller gave them.
package enum PlainOperation: Hashable, Sendable {
  /// A new, empty file.
  case make(String)
  /// At the end of the file.
  case write(String, [UInt8])
  case sync(String)
  case rename(String, to: String)
  case remove(String)
  case makeFolder(String)
  case syncFolder(String)
}

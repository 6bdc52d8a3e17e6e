package import SystemKit

/// The disk under the small files that are no database: the spool's and the configuration. It is asked before each operation that
/// changes something, and throws where that fails or where the process is dead. A simulator's disk forgets what was not synced.
package protocol PlainDisk: AnyObject, Sendable {
  func will(_ operation: FileOperation) throws(SystemError)
}

extension PlainDisk {
  var hook: WholeFile.Hook {
    { [self] (operation) throws(SystemError) in try will(operation) }
  }
}

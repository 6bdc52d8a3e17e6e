import Glibc
import SystemKit

extension FileDescriptor {
  /// Takes over what a system call gave. Throws `system`, with what `purpose` names, where that failed.
  init(_ number: Int32, for purpose: String) throws(SyncWorkerError) {
    guard let descriptor = FileDescriptor(owning: number) else { throw Self.failure(of: purpose) }
    self = descriptor
  }

  /// `result` of a system call, unless it failed.
  static func check(_ result: Int32, for purpose: String) throws(SyncWorkerError) -> Int32 {
    guard result < 0 else { return result }
    throw failure(of: purpose)
  }

  /// The error of a system call that has just failed.
  static func failure(of purpose: String) -> SyncWorkerError {
    SyncWorkerError(.system, "\(purpose) is not possible: \(String(cString: strerror(errno)))")
  }
}

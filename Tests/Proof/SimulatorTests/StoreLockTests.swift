import SystemKit
import TestSupport
import Testing

@testable import Simulator

@Suite struct `A frozen process's lock` {
  /// As a child has that another thread has forked, until it runs its own program.
  @Test func `ends at once, even where another process has the file open`() {
    let folder = ScratchFolder()
    let path = "\(folder.path)/lock"
    writeFile([], path)
    var lock = StoreLock(path)
    guard let copy = lock?.file.duplicate() else {
      Issue.record("the lock was not free")
      return
    }
    #expect(StoreLock(path) == nil)
    lock = nil
    #expect(StoreLock(path) != nil)
    copy.close()
  }
}

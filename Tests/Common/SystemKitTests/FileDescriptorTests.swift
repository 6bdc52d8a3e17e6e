import Glibc
import Testing

@testable import SystemKit

@Suite struct FileDescriptorTests {
  /// Whether both descriptors are open and belong to one pipe. Other tests of this process may reuse a closed number.
  private func arePipe(_ readEnd: Int32, _ writeEnd: Int32) -> Bool {
    var status = (stat(), stat())
    guard fstat(readEnd, &status.0) == 0, fstat(writeEnd, &status.1) == 0 else { return false }
    return status.0.st_ino == status.1.st_ino && status.0.st_mode & S_IFMT == S_IFIFO
  }

  /// The numbers of a pipe whose owner was released, and whether they were open before.
  private func closedPipe() throws -> (numbers: (Int32, Int32), wasOpen: Bool) {
    guard let pipe = DescriptorPipe() else { throw POSIXFailure() }
    let numbers = (pipe.readEnd.number, pipe.writeEnd.number)
    return (numbers, arePipe(numbers.0, numbers.1))
  }

  @Test func `a descriptor is open for the value's life and closed after it`() throws {
    let pipe = try closedPipe()
    #expect(pipe.wasOpen)
    #expect(!arePipe(pipe.numbers.0, pipe.numbers.1))
  }

  @Test func `giving up ownership of a descriptor leaves it open`() throws {
    guard let pipe = DescriptorPipe(), let duplicate = pipe.writeEnd.duplicate() else { throw POSIXFailure() }
    let number = duplicate.handOver()
    defer { close(number) }
    #expect(arePipe(pipe.readEnd.number, number))
  }

  @Test func `an opened file is closed on exec, whatever the caller asked for`() throws {
    guard let file = FileDescriptor(opening: "/dev/null", O_RDONLY) else { throw POSIXFailure() }
    #expect(fcntl(file.number, F_GETFD) & FD_CLOEXEC != 0)
  }

  @Test func `a failed open returns nil, and errno has the reason`() {
    let isOpen = FileDescriptor(opening: "/dev/null/nothing", O_RDONLY) != nil
    let error = errno
    #expect(!isOpen && error == ENOTDIR)
  }

  @Test func `closing does not change errno, which belongs to the failure that is reported`() throws {
    func failedRead() throws -> Int {
      guard let pipe = DescriptorPipe(isBlocking: false) else { throw POSIXFailure() }
      var byte: UInt8 = 0
      return read(pipe.readEnd.number, &byte, 1)
    }
    let count = try failedRead()
    let error = errno
    #expect(count == -1 && error == EAGAIN)
  }

  private struct POSIXFailure: Error {}
}

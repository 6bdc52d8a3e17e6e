import Glibc
import Testing

@testable import DeviceCore

@Suite struct WorkerDoctorTests {
  @Test func `a process sees what is there, and of one that is gone nothing is known`() {
    #expect(WorkerDoctor.canRead("/etc/passwd", by: getpid()) == true)
    #expect(WorkerDoctor.canRead("/etc/no such file", by: getpid()) == false)
    #expect(WorkerDoctor.canRead("/etc/passwd", by: Int32.max) == nil)
  }
}

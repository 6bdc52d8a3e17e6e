import ChildPrograms
import Glibc
import ProgramTesting
import Testing

/// A limit on the size of files, as `ulimit -f` sets it, is met like a full disk: a write fails, and SIGXFSZ ends no program.
@Suite(.blocking, .timeLimit(.minutes(5))) struct `A limit of file sizes` {
  @Test func `does not keep an alert from being saved`() throws {
    let device = try TestDevice()
    let raised = try device.shell("ulimit -f 100; exec \"$LIFESIGNAL\" sos -y help", program: "/bin/bash")
    #expect(raised.status == 0 && raised.output.contains("SAVED"), "\(raised)")
    #expect(try device.run("alert", "status").output.contains("ALERT ACTIVE"))
  }

  @Test func `is reported by the server`() throws {
    let folder = try TemporaryFolder()
    let device = try TestDevice()
    let line = "ulimit -f 10; exec '\(Programs.server)' --listen 127.0.0.1:0 --database '\(folder.path("x.sqlite"))'"
    let started = try device.shell(line, program: "/bin/bash")
    #expect(started.status < 128 && started.status != 0, "\(started)")
    #expect(started.error.contains("lifesignal-server:"), "\(started)")
  }
}

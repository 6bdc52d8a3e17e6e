import DeviceCore
import Glibc
import LocalStore
import ProgramTesting
import Testing

@Suite struct `The health of the sending process` {
  private let folder: TemporaryFolder
  private let home: HomeDirectory

  init() throws {
    folder = try TemporaryFolder()
    home = HomeDirectory(path: folder.path)
  }

  /// Makes a clock that advances by 20 ms at each read, and then reports a request for a stamp that has come since.
  private func clock(hearing: @escaping (_ request: Int, _ now: Int64) -> Void) -> () -> Int64 {
    let path = home.path + "/sender.lock"
    let heard = timespec(tv_sec: 1_000_000_000, tv_nsec: 0)
    var requests = 0
    var now = DeviceClock.monotonicMilliseconds()
    utimensat(AT_FDCWD, path, [heard, heard], 0)
    return {
      now += 20
      var status = stat()
      guard stat(path, &status) == 0, status.st_mtim.tv_sec != heard.tv_sec else { return now }
      utimensat(AT_FDCWD, path, [heard, heard], 0)
      requests += 1
      hearing(requests, now)
      return now
    }
  }

  @Test func `is absent if no process holds the lease`() throws {
    #expect(try SenderHealth.examine(home) == .absent)
    _ = try SenderLease.acquire(home)
    #expect(try SenderHealth.examine(home) == .absent)
  }

  @Test func `an older program, which writes no stamps, counts as moving`() throws {
    let lease = try #require(try SenderLease.acquire(home))
    #expect(try SenderHealth.examine(home) == .moving)
    withExtendedLifetime(lease) {}
  }

  @Test func `a holder that missed the first request is asked again`() throws {
    let lease = try #require(try SenderLease.acquire(home))
    lease.stamp(atMonotonicMilliseconds: 1)
    let now = clock { request, now in
      if request == 3 { lease.stamp(atMonotonicMilliseconds: now) }
    }
    #expect(try SenderHealth.examine(home, now: now) == .moving)
  }

  @Test func `without a watch for the folder, the holder still gets its time to answer`() throws {
    let lease = try #require(try SenderLease.acquire(home))
    lease.stamp(atMonotonicMilliseconds: 1)
    let now = clock { request, now in
      if request == 3 { lease.stamp(atMonotonicMilliseconds: now) }
    }
    #expect(try SenderHealth.examine(home, now: now, watch: { _ in nil }) == .moving)
  }

  @Test func `is polled rarely`() throws {
    let lease = try #require(try SenderLease.acquire(home))
    lease.stamp(atMonotonicMilliseconds: 1)
    var looks = 0
    _ = try SenderHealth.examine(home) {
      looks += 1
      return DeviceClock.monotonicMilliseconds()
    }
    #expect(looks < 60, "it takes two seconds, and polls every 250 ms")
    withExtendedLifetime(lease) {}
  }

  @Test func `a holder that never answers counts as hung since its last stamp`() throws {
    let lease = try #require(try SenderLease.acquire(home))
    let start = DeviceClock.monotonicMilliseconds()
    lease.stamp(atMonotonicMilliseconds: start - 40_000)
    let health = try SenderHealth.examine(home, now: clock { _, _ in })
    guard case .standingStill(getpid(), let milliseconds?) = health else {
      Issue.record("\(health)")
      return
    }
    #expect((42_000...50_000).contains(milliseconds))
    #expect(health.standstill?.hasPrefix("the sync process (pid \(getpid())) has not moved for 4") == true)
    withExtendedLifetime(lease) {}
  }
}

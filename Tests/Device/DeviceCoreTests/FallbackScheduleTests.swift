import ChildPrograms
import Testing

@testable import DeviceCore

@Suite(.blocking) struct `What waits outside the store` {
  private var schedule = FallbackSchedule()

  @Test mutating func `has no deadline if nothing waits`() {
    #expect(schedule.next(isUnsent: false, now: 5) == .wait(milliseconds: nil))
  }

  @Test mutating func `is left to the process that noted it first`() {
    #expect(schedule.next(isUnsent: true, now: 1000) == .wait(milliseconds: FallbackSchedule.graceMilliseconds))
    #expect(schedule.next(isUnsent: true, now: 3000) == .wait(milliseconds: FallbackSchedule.graceMilliseconds - 2000))
    #expect(schedule.next(isUnsent: true, now: 1000 + FallbackSchedule.graceMilliseconds) == .send)
  }

  @Test mutating func `is sent again after pauses that double, up to ten seconds`() {
    var now = FallbackSchedule.graceMilliseconds
    _ = schedule.next(isUnsent: true, now: 0)
    for pause in [1000, 2000, 4000, 8000, 10_000, 10_000] as [Int64] {
      #expect(schedule.next(isUnsent: true, now: now) == .send)
      #expect(schedule.next(isUnsent: true, now: now) == .wait(milliseconds: pause))
      now += pause
    }
  }

  @Test mutating func `is sent on, slowly, where it cannot be noted that the server has it`() {
    _ = schedule.next(isUnsent: true, now: 0)
    let now = FallbackSchedule.graceMilliseconds
    #expect(schedule.next(isUnsent: true, now: now) == .send)
    schedule.slowDown(at: now)
    #expect(schedule.next(isUnsent: true, now: now + 1000) == .wait(milliseconds: 59_000))
    #expect(schedule.next(isUnsent: true, now: now + 60_000) == .send)
  }

  @Test mutating func `starts over after it was sent`() {
    _ = schedule.next(isUnsent: true, now: 0)
    _ = schedule.next(isUnsent: true, now: FallbackSchedule.graceMilliseconds)
    _ = schedule.next(isUnsent: false, now: 50_000)
    #expect(schedule.next(isUnsent: true, now: 60_000) == .wait(milliseconds: FallbackSchedule.graceMilliseconds))
  }
}

import Testing

@testable import DeviceCore

@Suite struct `What lies outside of the store` {
  private var schedule = UnheardSchedule()

  @Test mutating func `is waited for without an end while there is nothing`() {
    #expect(schedule.next(isUnheard: false, now: 5) == .wait(milliseconds: nil))
  }

  @Test mutating func `is left to whoever noted it at first`() {
    #expect(schedule.next(isUnheard: true, now: 1000) == .wait(milliseconds: UnheardSchedule.graceMilliseconds))
    #expect(schedule.next(isUnheard: true, now: 3000) == .wait(milliseconds: UnheardSchedule.graceMilliseconds - 2000))
    #expect(schedule.next(isUnheard: true, now: 1000 + UnheardSchedule.graceMilliseconds) == .send)
  }

  @Test mutating func `is sent again after pauses that double, up to ten seconds`() {
    var now = UnheardSchedule.graceMilliseconds
    _ = schedule.next(isUnheard: true, now: 0)
    for pause in [1000, 2000, 4000, 8000, 10_000, 10_000] as [Int64] {
      #expect(schedule.next(isUnheard: true, now: now) == .send)
      #expect(schedule.next(isUnheard: true, now: now) == .wait(milliseconds: pause))
      now += pause
    }
  }

  @Test mutating func `begins anew after it was sent`() {
    _ = schedule.next(isUnheard: true, now: 0)
    _ = schedule.next(isUnheard: true, now: UnheardSchedule.graceMilliseconds)
    _ = schedule.next(isUnheard: false, now: 50_000)
    #expect(schedule.next(isUnheard: true, now: 60_000) == .wait(milliseconds: UnheardSchedule.graceMilliseconds))
  }
}

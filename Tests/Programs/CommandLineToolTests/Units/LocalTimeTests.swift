import DeviceCore
import Glibc
import Model
import Testing

@testable import CommandLineTool

@Suite struct `Times for a person` {
  private static let now = Timestamp(milliseconds: 1_784_000_000_000)

  @Test func `show no zone if it is the current one`() {
    let text = LocalTime(now: Self.now).full(Self.now)
    #expect(text.wholeMatch(of: /\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/) != nil, "\(text)")
  }

  @Test func `show the zone only if it differs from the one before`() {
    let here = DeviceClock.utcOffsetMinutes(at: Self.now)
    let time = LocalTime(now: Self.now, zone: .init(minutes: here + 60))
    #expect(time.text(Self.now).wholeMatch(of: /\d\d:\d\d:\d\d [+-]\d\d:\d\d/) != nil)
    #expect(time.text(Self.now).wholeMatch(of: /\d\d:\d\d:\d\d/) != nil)
  }

  @Test func `show the zone of the first line in a log`() {
    let zone = LocalTime.ShownZone()
    #expect(LocalTime(now: Self.now, zone: zone).full(Self.now).contains(#/ [+-]\d\d:\d\d$/#))
    #expect(!LocalTime(now: Self.now, zone: zone).full(Self.now).contains(#/ [+-]\d\d:\d\d$/#))
  }

  @Test func `of any number of milliseconds show a year`() {
    for milliseconds in [Int64.min, .max] {
      #expect(!LocalTime(now: Self.now).full(Timestamp(milliseconds: milliseconds)).hasPrefix("1900-"))
    }
  }
}

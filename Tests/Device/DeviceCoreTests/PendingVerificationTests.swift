import DeviceCore
import Model
import Testing

/// This device's clocks measure a code's lifetime. They may be hours off before the first contact with the server.
@Suite struct `A code that was sent` {
  private let server = Timestamp(milliseconds: 1_795_262_400_000)

  private func pending(wall: Int64, monotonic: Int64 = 5000, boot: String? = "a") -> PendingVerification {
    PendingVerification(
      verificationID: "v", phone: "+12025550123", endpoint: "https://a.example",
      expiresAt: server.advanced(byMilliseconds: 600_000), resendAt: server.advanced(byMilliseconds: 60_000),
      sentAt: moment(wall: wall, monotonic: monotonic, boot: boot))
  }

  private func moment(wall: Int64, monotonic: Int64, boot: String? = "a") -> Moment {
    Moment(wall: server.advanced(byMilliseconds: wall), monotonicMilliseconds: monotonic, boot: boot)
  }

  @Test(arguments: [0, 3_600_000, -3_600_000, -1_795_262_000_000] as [Int64])
  func `is valid for ten minutes, whatever the wall clock says`(offset: Int64) {
    let code = pending(wall: offset)
    #expect(!code.isExpired(at: moment(wall: offset + 599_999, monotonic: 604_999)))
    #expect(code.isExpired(at: moment(wall: offset + 600_000, monotonic: 605_000)))
    #expect(code.minutesLeft(at: moment(wall: offset, monotonic: 5000)) == 10)
    #expect(!code.mayResend(at: moment(wall: offset, monotonic: 64_999)))
    #expect(code.mayResend(at: moment(wall: offset, monotonic: 65_000)))
  }

  @Test func `stays valid when the wall clock is set meanwhile`() {
    #expect(!pending(wall: -1_795_262_000_000).isExpired(at: moment(wall: 0, monotonic: 6000)))
  }

  @Test func `expires by the wall clock after a boot`() {
    let code = pending(wall: 3_600_000)
    #expect(!code.isExpired(at: moment(wall: 3_660_000, monotonic: 900_000, boot: "b")))
    #expect(code.isExpired(at: moment(wall: 4_300_000, monotonic: 1000, boot: "b")))
    #expect(!code.isExpired(at: moment(wall: 0, monotonic: 1000, boot: "b")))
  }
}

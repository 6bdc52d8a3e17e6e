import Model
import Testing

@testable import DeviceCore
@testable import LifeSignal

@Suite struct `Codes on their way` {
  private let minute: Int64 = 60_000

  private func sent(_ id: String) -> SentCode {
    SentCode(
      pending: PendingVerification(
        verificationID: id, phone: "+12025550123", endpoint: "https://example.org",
        expiresAt: Timestamp(milliseconds: 0), resendAt: Timestamp(milliseconds: 0)))
  }

  @Test func `they are forgotten when none can work any more`() {
    let codes = SentCodes()
    codes.add(sent("a"), at: 0)
    codes.add(sent("b"), at: 14 * minute)
    #expect(codes.code(id: "a", at: 15 * minute - 1)?.id == "a")
    #expect(codes.code(id: "a", at: 15 * minute) == nil)
    #expect(codes.count == 1)
    codes.remove(id: "b")
    #expect(codes.count == 0)
  }

  @Test func `the newest of the last minute is under way`() {
    let codes = SentCodes()
    codes.add(sent("a"), at: 0)
    codes.add(sent("b"), at: 10)
    #expect(codes.underWay(to: "+12025550123", at: minute)?.id == "b")
    #expect(codes.underWay(to: "+12025550123", at: minute + 10) == nil)
    #expect(codes.underWay(to: "+12025550199", at: minute) == nil)
  }
}

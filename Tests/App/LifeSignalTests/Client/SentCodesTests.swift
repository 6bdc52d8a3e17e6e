import AppModel
import Foundation
import Testing

@testable import LifeSignal

@Suite struct `Codes on their way` {
  private let minute: Int64 = 60_000

  private func sent(_ id: String) -> SentCode {
    SentCode(
      id: id, phone: "+12025550123", expiresAt: .distantPast, resendAt: .distantPast)
  }

  @Test func `they are dropped when none is valid`() {
    let codes = SentCodes()
    codes.add(sent("a"), at: 0)
    codes.add(sent("b"), at: 14 * minute)
    #expect(codes.code(id: "a", at: 15 * minute - 1)?.id == "a")
    #expect(codes.code(id: "a", at: 15 * minute) == nil)
    #expect(codes.count == 1)
    codes.remove(id: "b")
    #expect(codes.count == 0)
  }

  @Test func `the newest of the last minute counts as on its way`() {
    let codes = SentCodes()
    codes.add(sent("a"), at: 0)
    codes.add(sent("b"), at: 10)
    #expect(codes.underWay(to: "+12025550123", at: minute)?.id == "b")
    #expect(codes.underWay(to: "+12025550123", at: minute + 10) == nil)
    #expect(codes.underWay(to: "+12025550199", at: minute) == nil)
  }

  @Test func `the wait for another one starts when the code was sent`() {
    let codes = SentCodes()
    codes.add(sent("a"), at: 0)
    #expect(codes.secondsUntilResend(id: "a", at: 0) == 60)
    #expect(codes.secondsUntilResend(id: "a", at: 11_001) == 49)
    #expect(codes.underWay(to: "+12025550123", at: 11_001)?.secondsUntilResend == 49)
    #expect(codes.secondsUntilResend(id: "a", at: minute + 1) == 0)
    #expect(codes.secondsUntilResend(id: "b", at: 0) == nil)
  }
}

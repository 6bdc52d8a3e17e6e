import Model
import Testing

@testable import ServerCore

@Suite struct `An attempt's answer` {
  private let now = Timestamp("1994-11-06T08:49:37Z") ?? Timestamp(milliseconds: 0)

  private func verdict(
    _ answer: DeliveryAnswer, attempts: Int = 1, refusals: Int = 0, age: Int64 = 0, isUrgent: Bool = true,
    jitter: Double = 0.5
  ) -> DeliveryVerdict {
    .of(
      answer, attempts: attempts, refusals: refusals, ageMilliseconds: age, isUrgent: isUrgent, jitter: jitter,
      now: now,
      policy: DeliveryPolicy())
  }

  @Test(arguments: [200, 201, 202, 204, 299])
  func `that took it is sent`(status: Int) {
    #expect(verdict(.status(status, retryAfter: nil)) == .sent)
  }

  @Test(arguments: [408, 425, 429, 500, 502, 503, 504, 599])
  func `that may be better later is waited out as long as the alert is active, and else for a day`(status: Int) {
    let answer = DeliveryAnswer.status(status, retryAfter: nil)
    guard case .retry(450_000, _, false, _) = verdict(answer, attempts: 900, age: 30 * 86_400_000) else {
      Issue.record("given up on an active alert, or tried as often as on the first day")
      return
    }
    #expect(
      verdict(answer, attempts: 900, refusals: 2, age: 86_399_999)
        == .retry(afterMilliseconds: 15_000, reason: "the channel answered \(status)", isRefusal: false))
    #expect(
      verdict(answer, attempts: 50, age: 86_400_000, isUrgent: false)
        == .failed(reason: "the channel answered \(status), for a day"))
  }

  @Test(arguments: [100, 301, 302, 307, 400, 401, 403, 404, 405, 410, 418, 451, 600])
  func `that refuses it is final after an hour, and not before the tenth`(status: Int) {
    let answer = DeliveryAnswer.status(status, retryAfter: nil)
    let reason = "the channel answered \(status)"
    for refusals in 0..<200 {
      guard case .retry(5000..., reason, true, _) = verdict(answer, attempts: 1, refusals: refusals, age: 3_599_999)
      else {
        Issue.record("given up after \(refusals + 1)")
        return
      }
    }
    #expect(verdict(answer, attempts: 10, refusals: 9, age: 3_600_000) == .failed(reason: reason))
    guard case .retry = verdict(answer, attempts: 9, refusals: 8, age: 86_400_000) else {
      Issue.record("given up by the clock alone")
      return
    }
  }

  @Test func `a network failure is waited out for a day, a private address for an hour`() {
    #expect(
      verdict(.networkFailure("cannot connect"), refusals: 2)
        == .retry(afterMilliseconds: 250, reason: "cannot connect", isRefusal: false))
    let reason = "the channel's address is private"
    #expect(
      verdict(.addressRefused, refusals: 9)
        == .retry(afterMilliseconds: 5000, reason: reason, isRefusal: true))
    #expect(verdict(.addressRefused, refusals: 9, age: 3_600_000) == .failed(reason: reason))
  }

  @Test func `that no request can be made is final, but of a server of the operator`() {
    #expect(verdict(.unusableURL) == .failed(reason: "nothing can be sent to this address"))
    let gateway = DeliveryVerdict.of(
      .unusableURL, attempts: 1, refusals: 9, ageMilliseconds: 3_600_000, isUrgent: true,
      carrier: .smsGateway,
      jitter: 0.5, now: now, policy: DeliveryPolicy())
    guard case .retry(_, "the URL of the SMS gateway cannot be used", false, _) = gateway else {
      Issue.record("given up for the operator's fault")
      return
    }
  }

  @Test func `is not the last because the clock was set forward`() {
    guard case .retry = verdict(.networkFailure("x"), attempts: 49, age: 30 * 86_400_000, isUrgent: false) else {
      Issue.record("given up by the clock alone")
      return
    }
    #expect(
      verdict(.networkFailure("x"), attempts: 50, age: 86_400_000, isUrgent: false) == .failed(reason: "x, for a day"))
  }

  @Test func `waits double from half a second up to the cap, with full jitter`() {
    func delay(_ attempts: Int, _ isUrgent: Bool, _ jitter: Double) -> Int64? {
      let answer = DeliveryAnswer.networkFailure("x")
      guard case .retry(let delay, _, _, _) = verdict(answer, attempts: attempts, isUrgent: isUrgent, jitter: jitter)
      else {
        return nil
      }
      return delay
    }
    #expect((1...9).map { delay($0, true, 1) } == [500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000])
    #expect((1...13).map { delay($0, false, 1) }.suffix(3) == [512_000, 900_000, 900_000])
    #expect(delay(10_000, true, 0) == 0 && delay(10_000, false, 0.25) == 225_000)
  }

  @Test(
    arguments: [
      ("120", true, 120_000), ("Sun, 06 Nov 1994 08:51:37 GMT", true, 120_000),
      ("999999999999999999999", true, 300_000),
      ("999999", false, 3_600_000), ("-5", true, 0), ("soon", true, 0), ("", true, 0),
      ("Sun, 06 Nov 1994 08:00:00 GMT", true, 0),
    ] as [(String, Bool, Int64)])
  func `Retry-After is honoured within bounds`(header: String, isUrgent: Bool, expected: Int64) {
    let verdict = verdict(.status(503, retryAfter: header), isUrgent: isUrgent, jitter: 0)
    guard case .retry(expected, "the channel answered 503", false, let asked) = verdict else {
      Issue.record("\(verdict)")
      return
    }
    // What is newer waits for no backoff, and for this.
    #expect(asked ?? 0 == expected)
  }
}

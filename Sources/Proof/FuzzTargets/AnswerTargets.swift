import Model
import Wire

@testable import CurlKit
@testable import ServerCore
@testable import SyncEngine

extension FuzzTarget {
  /// Every answer has an outcome, described to a person in one short line. Input: the status in two bytes, the number of bytes
  /// of header lines, the lines, the body.
  static let answer = FuzzTarget("answer") {
    answerSeeds
  } run: { bytes in
    var input = FuzzInput(bytes)
    let status = input.number(below: 1 << 16) & 0x3FF
    var headers: [String: String] = [:]
    for line in input.text().split(separator: "\n") {
      let parts = line.split(separator: ":", maxSplits: 1)
      if parts.count == 2 { headers[parts[0].lowercased()] = String(parts[1]) }
    }
    let answer = HTTPAnswer(status: status, headers: headers, body: input.remaining())
    check(AnswerClassifier.classify(answer, as: SyncResponse.self, now: Sample.now), answer)
    check(AnswerClassifier.classify(answer, as: TokenResponse.self, now: Sample.now), answer)
    check(AnswerClassifier.classify(answer, as: HealthResponse.self, now: Sample.now), answer)
  }

  /// The header lines of an answer.
  static let responseHeaders = FuzzTarget("response-headers") {
    [
      Array(
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Type: application/json\r\nRetry-After: 5\r\n\r\nTrailer: a"
          .utf8),
      Array("HTTP/2 503\r\nRetry-After: Sun, 06 Nov 1994 08:49:37 GMT\r\nretry-after:1\r\n\r\n".utf8),
    ]
  } run: { bytes in
    var headers = ResponseHeaders(maximumBytes: 1000)
    for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      guard headers.append(line + [UInt8(ascii: "\n")]) else { break }
    }
    _ = headers.isAtEnd
    _ = headers.head.mediaType
    let kept = headers.head.headers.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count }
    // Lower case takes more bytes in some scripts; an invalid byte becomes three.
    require(kept <= 4 * 1000, "header lines are bounded")
  }

  /// Waiting times that a server asks of a device, or a channel of the server. Input: the device's clock in eight bytes, a line
  /// for `Retry-After`, another for `Date`.
  static let retryAfter = FuzzTarget("retry-after") {
    [
      "120", "Sun, 06 Nov 1994 08:49:37 GMT\nSunday, 06-Nov-94 08:49:30 GMT", "Sun Nov  6 08:49:37 1994",
      "99999999999999999999", "-1",
    ].map { [7] + Array($0.utf8) }
  } run: { bytes in
    var input = FuzzInput(bytes)
    let now = Timestamp(milliseconds: input.integer())
    let lines = input.remaining().text.split(separator: "\n", maxSplits: 1).map(String.init)
    guard let value = lines.first else { return }
    var headers = ["retry-after": value]
    if lines.count > 1 { headers["date"] = lines[1] }
    let wait = RetryAfter.milliseconds(headers: headers, now: now)
    require(wait ?? 0 >= 0, "a wait is not negative")
    for backoff in [Backoff.emergency, .routine] {
      for attempt in [-1, 0, 3, .max] {
        let delay = backoff.delayMilliseconds(attempt: attempt, jitter: 0.5, retryAfterMilliseconds: wait)
        require((0...backoff.longestDelayMilliseconds).contains(delay), "a delay is bounded")
      }
    }
    for status in [200, 400, 429, 503] {
      let verdict = DeliveryVerdict.of(
        .status(status, retryAfter: value), attempts: 1, refusals: 0, ageMilliseconds: 0, isUrgent: true, jitter: 0.5,
        now: now,
        policy: DeliveryPolicy())
      if case .retry(let delay, _, _, _) = verdict {
        require(delay >= 0 && delay <= 3_600_000, "a channel's delay is bounded")
      }
    }
  }

  /// Gives the same items wherever the stream is cut. The first byte says where.
  static let eventStream = FuzzTarget("event-stream") {
    [
      [3] + Array((StreamEvent.change.text + StreamEvent.heartbeat.text).utf8),
      [1] + Array("\u{FEFF}event: a\r\ndata: b\r\ndata\r\rid: 5\nretry: 1\ndata: c\n\n:comment\n".utf8),
    ]
  } run: { bytes in
    let stream = Array(bytes.dropFirst())
    var whole = EventStreamParser(maximumBytes: 256)
    var cut = whole
    var items: [EventStreamParser.Item] = []
    var isTooLong = false
    var rest = stream[...]
    var size = Int(bytes.first ?? 0)
    while !rest.isEmpty, !isTooLong {
      size = (size &* 5 + 3) % 17
      do { items += try cut.append(rest.prefix(size)) } catch { isTooLong = true }
      rest = rest.dropFirst(size)
    }
    let all = try? whole.append(stream)
    require(isTooLong == (all == nil), "a stream is too long wherever it is cut")
    if let all { require(all == items, "a stream says the same wherever it is cut") }
  }

  /// What a mail server replies, in pieces of any size. Nothing is said out of turn, and the mail is said at most once.
  static let mailDialog = FuzzTarget("mail-dialog") {
    [
      [7] + Array("250 ok\r\n250-a\r\n250 b\r\n354 go on\r\n250 queued\r\n".utf8),
      [1] + Array("250 ok\r\n451 later\r\n".utf8), [3] + Array("220 hello\r\n".utf8),
    ]
  } run: { bytes in
    let envelope = MailEnvelope(sender: "a@b.example", recipient: "c@d.example", login: nil, demandsEncryption: true)
    var dialog = MailDialog(envelope, content: Array("Subject: x\r\n\r\n.\r\n".utf8))
    var said: [UInt8] = []
    var rest = bytes.dropFirst()
    let size = max(1, Int(bytes.first ?? 1) % 17)
    var isReply = true
    while isReply {
      said += dialog.output
      dialog.sent(dialog.output.count)
      if rest.isEmpty || dialog.end != nil { break }
      isReply = dialog.receive(rest.prefix(size))
      rest = rest.dropFirst(size)
    }
    let turns = ["MAIL FROM:<a@b.example>", "RCPT TO:<c@d.example>", "DATA", "Subject: x\r\n\r\n..\r\n."]
    let text = String(decoding: said, as: UTF8.self)
    let isInTurn = (1...turns.count).contains { count in
      let whole = turns.prefix(count).map { $0 + "\r\n" }.joined()
      return text == whole || text == whole + "QUIT\r\n"
    }
    require(isInTurn, "a mail is said in turn")
    require(!dialog.isUnanswered || text.hasSuffix("\r\n.\r\n"), "an unanswered mail was said to its end")
  }
}

private var answerSeeds: [[UInt8]] {
  func answer(_ status: Int, _ headers: String, _ body: [UInt8]) -> [UInt8] {
    [0, UInt8(status >> 8), UInt8(status & 0xFF), UInt8(headers.utf8.count)] + Array(headers.utf8) + body
  }
  let problem = Problem(.rateLimited, "Slowly, please.")
  return [
    answer(200, "content-type: application/json", Sample.syncResponses[0].json()),
    answer(200, "", TokenResponse(accessToken: "a", refreshToken: "b", expiresAt: Sample.now).json()),
    answer(429, "content-type:application/problem+json; charset=utf-8\nretry-after: 7", problem.json()),
    answer(401, "content-type:application/problem+json", Problem(.sessionRevoked, "Sign in\u{7} again.").json()),
    answer(503, "retry-after:Sun, 06 Nov 1994 08:49:37 GMT", Array("<html>".utf8)),
    answer(413, "", []),
  ]
}

private func check<Body>(_ outcome: AnswerOutcome<Body>, _ answer: HTTPAnswer) {
  switch outcome {
  case .accepted: require(answer.status == 200, "only a 200 is taken in")
  case .rejected(let problem): require(problem.status == answer.status, "only our server's word is final")
  case .credentialsNeeded(let failure), .tooLarge(let failure, _), .notOurServer(let failure):
    checkLine(failure.message)
  case .tryLater(let failure, let wait):
    checkLine(failure.message)
    require(wait ?? 0 >= 0, "a wait is not negative")
  }
}

private func checkLine(_ text: String) {
  require(text.unicodeScalars.count <= 300, "a person is told a short line")
  require(
    !text.unicodeScalars.contains { $0.properties.generalCategory == .control }, "a line has no control characters")
}

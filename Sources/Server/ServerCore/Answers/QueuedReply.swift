import Model

// Replies that go as text messages, in the queue of one-time codes.
extension RequestWork {
  /// Replies to one number in an hour. It bounds what two machines send that answer each other: without it they never stop.
  static let repliesPerNumberAndHour = 20
  /// Each costs the operator a message.
  static let repliesInTotalPerHour = 1000
  /// Whoever waits for one looks at the telephone.
  static let replyLifetimeMilliseconds: Int64 = 10 * 60_000

  /// Queues a reply, in the place of an older one to the same number: it is claimed with the same commit, and sent right after it. Beyond
  /// the limits none is sent, and to a sender that is no telephone number.
  mutating func queue(_ reply: StoredReply, to number: String) {
    guard Self.isTelephone(number) else { return remark = "no reply to a text message: its sender is no number" }
    let limits = [
      replyLimit(number, Self.repliesPerNumberAndHour), replyLimit("", Self.repliesInTotalPerHour),
    ]
    guard limits.compactMap({ waitMilliseconds(for: $0) }).isEmpty else {
      return remark = "no reply to a text message: there were too many in an hour"
    }
    writes.rateCounts += limits.map { $0.step(at: now) }
    var entropy = entropy.stream(for: "queued reply")
    writes.newCode = StoredCode(
      id: entropy.identifier(at: now), .reply(reply), phone: number,
      expiresAt: now.advanced(byMilliseconds: Self.replyLifetimeMilliseconds), dueAt: now)
    hasNewDeliveries = true
  }

  private func replyLimit(_ subject: String, _ count: Int) -> RateLimit {
    RateLimit(
      key: keys.hash(Array("reply\0\(subject)".utf8), for: .rateCount), limit: count, windowMilliseconds: 3_600_000)
  }

  /// Short codes and names of senders are machines.
  private static func isTelephone(_ number: String) -> Bool { (8...16).contains(number.utf8.count) }
}

extension ServerCore {
  /// The whole text of a queued reply; nil where the account that it is about is gone.
  func text(
    of reply: StoredReply, to number: String, _ transaction: any ServerTransaction
  ) throws(StorageError) -> String? {
    guard let about = reply.about else { return reply.kind.text("", "") }
    guard let account = try transaction.account(about.account) else { return nil }
    let code = keys.answerCode(of: about.contact, about: about.alert, of: about.account, number: number)
    return reply.kind.text(account.phone, code)
  }
}

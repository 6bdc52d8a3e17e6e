import Model

/// What arrived at each channel of each responder.
struct ResponderLog {
  private struct Target: Hashable {
    var channel: String
    var alert: AlertID
  }

  private struct Arrivals {
    var last: ResponderMessage
    /// The server's step when "safe" first arrived.
    var safeAt: Int?
  }

  private var arrivals: [Target: Arrivals] = [:]
  /// The newest message of each account, by channel.
  private var newest: [AccountID: [String: ResponderMessage]] = [:]

  /// The last message about the alert on the channel; nil if none arrived.
  func last(_ alert: AlertID, on channel: String) -> ResponderMessage? {
    arrivals[Target(channel: channel, alert: alert)]?.last
  }

  /// The last message about any alert of the account on the channel.
  func last(of account: AccountID, on channel: String) -> ResponderMessage? { newest[account]?[channel] }

  mutating func arrived(
    _ message: ResponderMessage, _ server: ServerModel, now: Int64, _ findings: inout Findings
  ) {
    checkOwner(message, server.history, now: now, &findings)
    checkMark(message, server, now: now, &findings)
    guard message.kind != .aside else { return }
    if let account = server.history.alertAccounts[message.alert] {
      newest[account, default: [:]][message.channel] = message
    }
    let target = Target(channel: message.channel, alert: message.alert)
    let before = arrivals[target]
    if message.kind == .help, let safeAt = before?.safeAt, !isShared(message, server.history),
      (server.history.lastRestore ?? -1) <= safeAt
    {
      findings.add(
        .order, "\(message.channel) was told to help in alert \(message.alert) after it was told that it is over",
        at: now)
    }
    let safeAt = message.kind == .safe ? before?.safeAt ?? server.step : before?.safeAt
    arrivals[target] = Arrivals(last: message, safeAt: safeAt)
  }

  /// A drill is never taken for a real alert, and a real alert never for a drill (I13).
  private func checkMark(_ message: ResponderMessage, _ server: ServerModel, now: Int64, _ findings: inout Findings) {
    guard let account = server.history.alertAccounts[message.alert],
      let alert = server[account].alerts[message.alert]?.alert, alert.isDrill != message.isMarkedAsDrill
    else { return }
    findings.add(
      .drillsApart,
      "\(message.channel) was told of \(alert.isDrill ? "drill" : "alert") \(alert.id) in the words of the other",
      at: now)
  }

  /// Messages to one contact are in order; those to two contacts who share a channel need not be.
  private func isShared(_ message: ResponderMessage, _ history: ServerHistory) -> Bool {
    guard let account = history.alertAccounts[message.alert] else { return true }
    return history.channels[account]?[message.channel]?.count ?? 0 > 1
  }

  private func checkOwner(
    _ message: ResponderMessage, _ history: ServerHistory, now: Int64, _ findings: inout Findings
  ) {
    guard let account = history.alertAccounts[message.alert] else {
      findings.add(
        .apart, "\(message.channel) was told of alert \(message.alert), which the server never accepted", at: now)
      return
    }
    guard history.channels[account]?[message.channel] == nil else { return }
    findings.add(
      .apart, "\(message.channel) was told of alert \(message.alert), and is no channel of account \(account)", at: now)
  }
}

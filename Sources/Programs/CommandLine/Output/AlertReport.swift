import DeviceCore
import LocalStore
import Model
import Wire

/// How far an alert got, in lines that a person in distress reads at a glance. A stage is never shown before it is reached.
struct AlertReport {
  let status: AlertStatus
  /// The names of responders of whom the server has said nothing yet.
  let silentResponders: [String]
  let time: LocalTime
  let console: Console
  /// The names of responders of a later tier, who were not told.
  var laterResponders: [String] = []
  /// Whether the session has expired, so that nothing is received.
  var isSessionExpired = false
  /// Whether the store cannot be read, so that only the alert is known.
  var isOfSpool = false
  /// Why the store may not save the server's answers; nil if it does, or if no answer is expected.
  var obstacle: String?
  /// Why it is unknown whether an alert is active; nil if that is known.
  var unknown: String?
  /// The process that syncs, if something is waiting.
  var sender: SenderHealth?
  var waiting = UnsentCounts()
  var refused = UnsentCounts()

  private var isAnswerKept: Bool { obstacle == nil }

  /// The same as JSON.
  func writeMembers(to json: inout JSONWriter) {
    if unknown != nil { json.member("active_unknown", true) }
    AlertJSON.writeMembers(status, isAnswerKept: obstacle == nil, to: &json)
  }

  /// Not done where it cannot say whether an alert is active.
  var exitStatus: ExitStatus { unknown == nil ? .done : .notSaved }

  var lines: [String] {
    guard let alert = status.alert else { return (discarded ?? [none]) + syncLines }
    let nobody = status.nobodyIsTold.map { DeliveryTexts.nobody($0, isDrill: alert.isDrill, console) }
    return [nobody].compactMap(\.self) + (discarded ?? []) + [headline(alert)] + unsentEnd(alert) + ladder(alert)
      + obstacleLines + syncLines
  }

  private var none: String {
    unknown.map { DeliveryTexts.unknownStatus(Sentences.closed($0)) } ?? DeliveryTexts.noAlert
  }

  private var obstacleLines: [String] {
    guard let obstacle else { return [] }
    return [DeliveryTexts.obstacle(Sentences.closed(obstacle), console)]
  }

  /// Says clearly that it was never sent.
  private var discarded: [String]? {
    guard let alert = status.discarded else { return nil }
    return [DeliveryTexts.discarded(isDrill: alert.isDrill, raised: time.text(alert.startedAt), console)]
  }

  private func unsentEnd(_ alert: Alert) -> [String] {
    status.isEndUnsent ? [DeliveryTexts.endUnsent(isDrill: alert.isDrill, console)] : []
  }

  private func headline(_ alert: Alert) -> String {
    let started = time.text(alert.startedAt)
    if let endedAt = alert.endedAt {
      if unknown != nil { return none + "\n" + DeliveryTexts.lastKnown(raised: started, ended: time.text(endedAt)) }
      return DeliveryTexts.ended(isDrill: alert.isDrill, raised: started, ended: time.text(endedAt), console)
    }
    let duration = LocalTime.duration(milliseconds: time.now.milliseconds(since: alert.startedAt))
    let active = DeliveryTexts.active(isDrill: alert.isDrill, since: started, duration, console)
    let count = 1 + status.otherActive.count
    return count == 1 ? active : active + "\n" + DeliveryTexts.severalActive(count, isDrill: alert.isDrill)
  }

  private func ladder(_ alert: Alert) -> [String] {
    var rows: [String] = []
    if let message = status.newestUpdate?.message ?? alert.message {
      rows.append(row(DeliveryTexts.message, message.printable))
    }
    rows += status.otherActive.map { row(DeliveryTexts.alsoActive, also($0)) }
    rows.append(row(DeliveryTexts.saved, saving(alert)))
    if let update = status.newestUpdate { rows.append(row(DeliveryTexts.updated, time.text(update.at))) }
    rows.append(row(DeliveryTexts.accepted, acceptance(alert)))
    rows += shownResponders.map {
      row(
        $0.contactName.printable,
        ReceiptText.text($0, time, console) + (isOfEarlierCall($0) ? DeliveryTexts.beforeLastCall : ""))
    }
    rows += silentResponders.map {
      row($0.printable, silence)
    }
    rows += laterResponders.map { row($0.printable, DeliveryTexts.toldLater) }
    rows += status.safeReceipts.map {
      row($0.contactName.printable, DeliveryTexts.safeNow(isDrill: alert.isDrill) + ReceiptText.text($0, time, console))
    }
    return rows
  }

  private func also(_ other: OtherActiveAlert) -> String {
    let message = (other.newestUpdate?.message ?? other.alert.message).map { ": \($0.printable)" } ?? ""
    return DeliveryTexts.alsoActive(since: time.text(other.alert.startedAt)) + message
  }

  /// Who is responding is so once, over however many channels they were told.
  private var shownResponders: [Receipt] {
    var answered: Set<ContactID> = []
    return status.responders.filter { $0.state != .acknowledged || answered.insert($0.contactID).inserted }
  }

  /// Whether it is about a call before the last one. A person's answer stands for all calls.
  private func isOfEarlierCall(_ receipt: Receipt) -> Bool {
    guard status.newestUpdate != nil, receipt.state == .sent || receipt.state == .failed else { return false }
    return status.acceptedAt.map { receipt.at < $0 } ?? true
  }

  private func saving(_ alert: Alert) -> String {
    status.isSaved
      ? DeliveryTexts.savedHere(time.text(alert.startedAt)) : DeliveryTexts.savedInMemory(console)
  }

  private func acceptance(_ alert: Alert) -> String {
    guard let acceptedAt = status.acceptedAt else {
      return isAnswerKept ? console.styled(.warning, DeliveryTexts.notYet) : DeliveryTexts.unknown
    }
    let accepted = time.text(acceptedAt)
    let calledAt = status.newestPressAt ?? alert.startedAt
    let late =
      Alert.isLate(calledAt: calledAt, receivedAt: acceptedAt)
      ? DeliveryTexts.late(raised: time.short(calledAt), received: time.short(acceptedAt)) : ""
    return DeliveryTexts.acceptedAt(accepted, late: late)
  }

  /// The state of a responder of whom the server has said nothing.
  private var silence: String {
    guard isAnswerKept, status.isSaved || status.stage == .saved else { return DeliveryTexts.unknown }
    guard status.stage == .accepted else { return console.styled(.warning, DeliveryTexts.notTold) }
    if sender?.standstill != nil { return DeliveryTexts.unknownStandstill }
    return isSessionExpired ? DeliveryTexts.unknownExpired : DeliveryTexts.waitingForServer
  }

  private func row(_ name: String, _ text: String) -> String {
    "  " + name + String(repeating: " ", count: max(2, 14 - name.count)) + text
  }

  private var syncLines: [String] {
    let state = SyncState(
      sync: status.sync, waiting: waiting, refused: refused, sender: sender, time: time, console: console)
    return isOfSpool ? state.unsentLines : state.lines
  }
}

/// One receipt in words.
enum ReceiptText {
  static func text(_ receipt: Receipt, _ time: LocalTime, _ console: Console) -> String {
    let at = time.text(receipt.at), channel = receipt.channel.rawValue
    let reason = receipt.reason.map { ": \($0.printable)" } ?? ""
    return switch receipt.state {
    case .queued: DeliveryTexts.queued(channel, at, reason)
    case .sent: DeliveryTexts.sent(channel, at, console)
    case .seen: DeliveryTexts.seen(at, reason, console)
    case .acknowledged: DeliveryTexts.responding(at, receipt.reason?.printable, console)
    case .failed where receipt.channel == .noChannel:
      DeliveryTexts.noWay(to: receipt.contactName.printable, at, console)
    case .failed: DeliveryTexts.failed(channel, at, reason, console)
    }
  }
}

/// How far the device and the server agree, in lines for a person.
struct SyncState {
  let sync: SyncOverview
  let waiting: UnsentCounts
  let refused: UnsentCounts
  let sender: SenderHealth?
  let time: LocalTime
  let console: Console

  /// Only what a person has to know: nothing if all is well.
  var lines: [String] {
    var lines = unsentLines
    if sync.pending > 0 {
      // Without a running worker, nothing tries again.
      let next = sender == .moving ? sync.nextAttemptAt.flatMap { $0 > time.now ? time.text($0) : nil } : nil
      lines.append(SyncTexts.waiting(waiting, next: next))
      if sender == .absent, sync.signedIn || isAlertTried { lines.append(SyncTexts.nothingSends(waiting.count)) }
    }
    if let standstill = sender?.standstill {
      lines.append(SyncTexts.standstill(Sentences.capitalized(standstill)))
    }
    if let error = sync.lastError { lines.append(SyncTexts.lastTry(Sentences.closed(error.printable))) }
    if sync.parked > 0 { lines.append(SyncTexts.refused(refused, console)) }
    if sync.isSessionExpired {
      lines.append(SyncTexts.expired(console))
    } else if sync.isDeviceRefused {
      lines.append(SyncTexts.deviceRefused(isAlertTried: isAlertTried && sender != .absent, console))
    } else if !sync.signedIn {
      lines.append(SyncTexts.notSignedIn(console))
    }
    return lines
  }

  /// Whether an alert waits that is sent as soon as a server knows this device again.
  private var isAlertTried: Bool { sync.isDeviceRefused && waiting.alerts > 0 }

  /// What is saved outside the store, and who sends it.
  var unsentLines: [String] {
    guard sync.unsentOutside > 0 else { return [] }
    let left = console.styled(.bad, SyncTexts.unsentOutside(sync.unsentOutside))
    return sender == .moving ? [left] : [left, SyncTexts.nothingSends(sync.unsentOutside)]
  }
}

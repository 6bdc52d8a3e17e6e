import DeviceCore
import LocalStore
import Model
import Wire

/// `status`: everything on one screen.
struct StatusCommand {
  private let context: Context
  private let report: AlertReport
  /// Active alerts of others.
  private let inbox: [InboxEntry]
  private let contacts: [StoredContact]
  private let readiness: Readiness
  private let session: Session?
  private let configuration: Configuration
  private let sender: SenderHealth
  /// The sender in the background; nil if there is none.
  private let background: Int32?
  /// The process that sends, as far as its last stamp says.
  private let senderProcess: Int32?

  static func run(_ context: Context) throws(Failure) -> ExitStatus {
    let home = try context.home()
    let store: LocalStore
    do throws(LocalStoreError) {
      store = try LocalStore.open(home, at: context.moment)
    } catch {
      // Only the alert is known then.
      return try SpooledAlerts.tellStatus(home, context, because: error)
    }
    context.tellReport(of: store)
    let configuration = try context.configuration()
    let status = try context.attempt { () throws(LocalStoreError) in try store.status() }
    let report = try AlertCommands.report(status, store, context)
    let sender = try context.attempt { () throws(LocalStoreError) in
      if let sender = report.sender { sender } else { try SenderHealth.examine(store.home) }
    }
    let command = try context.attempt { () throws(LocalStoreError) in
      Self(
        context: context, report: report, inbox: try InboxCommand.active(store), contacts: try store.contacts(),
        readiness: try store.readiness(), session: try store.session(), configuration: configuration, sender: sender,
        background: try? BackgroundLease.holder(home), senderProcess: SenderStamp.read(home)?.processID)
    }
    context.console.json { command.writeMembers(to: &$0) }
    for line in command.othersLines + report.lines + [""] + command.lines + command.failures + [command.workerLine] {
      context.console.say(line)
    }
    return report.exitStatus
  }

  /// One for each active alert of somebody else, and one if their device is silent.
  private var othersLines: [String] {
    let lines = inbox.flatMap { entry in
      let report = InboxReport(entry, among: inbox, context.time, context.console)
      return [report.headline + InboxTexts.more] + (report.silence.map { ["  " + $0] } ?? [])
    }
    return lines.isEmpty ? [] : lines + [""]
  }

  private var lines: [String] {
    let time = context.time
    return [
      ReadinessTexts.line(readiness, now: context.moment.wall, context.console),
      AccountTexts.account
        + (session.map { $0.phone + ($0.isExpired ? AccountTexts.accountExpired : "") } ?? AccountTexts.accountNone),
      AccountTexts.endpoint + (configuration.endpoint ?? AccountTexts.unset),
      AccountTexts.lastSync + (report.status.sync.lastSuccessAt.map(time.text) ?? AccountTexts.never),
      AccountTexts.respondersRow + "\(responders.count)"
        + (responders.isEmpty ? "" : AccountTexts.testedCount(readiness.tested)),
    ]
  }

  /// One for each channel of a responder that failed.
  private var failures: [String] {
    responders.flatMap { responder in
      responder.failed.map {
        AccountTexts.failed(
          responder.contact.details.name.printable, context.time.text($0.at), $0.reason.printable, context.console)
      }
    }
  }

  private var workerLine: String { AccountTexts.worker + worker }

  private var worker: String {
    switch sender {
    case .absent: background == nil ? AccountTexts.workerAbsent : AccountTexts.workerStandingBy
    case .moving where isOfAlert: AccountTexts.workerOfAlert
    case .moving: AccountTexts.workerRunning
    case .standingStill: AccountTexts.workerStandsStill(sender.standstill ?? "", context.console)
    }
  }

  /// Whether the process that sends is the one that ends with the alert.
  private var isOfAlert: Bool { background != nil && background == senderProcess }

  private var responders: [StoredContact] { contacts.filter(\.contact.details.isResponder) }

  private func writeMembers(to json: inout JSONWriter) {
    report.writeMembers(to: &json)
    json.key("inbox")
    json.array { for entry in inbox { $0.object { InboxJSON.writeMembers(entry, to: &$0) } } }
    json.key("account")
    if let session {
      json.object {
        $0.member("id", session.accountID.description)
        $0.member("phone", session.phone)
        $0.member("expired", session.isExpired)
      }
    } else {
      json.null()
    }
    json.member("endpoint", configuration.endpoint)
    json.member("contacts", contacts.count)
    json.member("responders", responders.count)
    ReadinessJSON.write(readiness, to: &json)
    json.member("worker_running", sender == .moving)
    json.member("background_sender", background != nil)
    json.key("worker_standing_still")
    guard case .standingStill(let processID, let milliseconds) = sender else { return json.null() }
    json.object {
      $0.member("pid", Int(processID))
      $0.member("seconds", milliseconds.map { Int($0 / 1000) })
    }
  }
}

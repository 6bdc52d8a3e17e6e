import LocalStore
import Model

/// What `alert status` and `alert history` tell where the store cannot be read: the alerts that were saved in files of their own.
/// Where there is none they fail, for nobody may say then that no alert is active.
enum SpooledAlerts {
  static func tellStatus(
    _ home: HomeDirectory, _ context: Context, because error: LocalStoreError
  ) throws(Failure) -> ExitStatus {
    guard let status = AlertStatus.ofSpool(home, because: error, at: context.moment) else { throw unknown(error) }
    context.console.json { AlertJSON.writeMembers(status, to: &$0) }
    if !context.console.isJSON {
      let report = AlertReport(
        status: status, silentResponders: [], time: context.time, console: context.console, isOfSpool: true)
      for line in report.lines { context.console.say(line) }
    }
    if status.isSaved {
      tellWhy(error, context)
    } else {
      context.console.note("The store cannot be opened: \(SyncText.sentence(error.message)) See: lifesignal doctor")
    }
    return .done
  }

  static func tellHistory(
    _ home: HomeDirectory, _ context: Context, because error: LocalStoreError
  ) throws(Failure) -> ExitStatus {
    let entries = HistoryEntry.ofSpool(home)
    guard !entries.isEmpty else { throw Failure(error) }
    for entry in entries { AlertCommands.tell(entry, context) }
    tellWhy(error, context)
    return .done
  }

  private static func tellWhy(_ error: LocalStoreError, _ context: Context) {
    context.console.note(
      "The store cannot be read: \(SyncText.sentence(error.message)) This is from a file of its own. "
        + "NOTHING MORE IS SENT before the store is mended. See: lifesignal doctor")
  }

  private static func unknown(_ error: LocalStoreError) -> Failure {
    let failure = Failure(error)
    return Failure(
      failure.status, failure.code, "it is not known whether an alert is active: \(failure.message)")
  }
}

import LocalStore
import Model

/// What `alert status` and `alert history` show if the store cannot be read: the alerts that were saved in files of their own. If
/// there are none they fail, because an alert may be active all the same.
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
      context.console.note(DeliveryTexts.unreadableInMemory(Sentences.closed(error.message)))
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
    context.console.note(DeliveryTexts.unreadable(Sentences.closed(error.message)))
  }

  private static func unknown(_ error: LocalStoreError) -> Failure {
    let failure = Failure(error)
    return Failure(failure.status, failure.code, DeliveryTexts.unknownStatus(Sentences.closed(failure.message)))
  }
}

import Model
import ServerCore
import Wire

/// Checks that the server had a reason to refuse an item (I5).
///
/// A refusal is final for the device: it parks the item, turns a call for help into a new alert, or takes an end back. So each
/// kind of item may only be refused with these codes, and only in this state of the account:
///
/// | item | code | needs |
/// |---|---|---|
/// | any | the code of the rule that it breaks | the item cannot be read |
/// | `alert.update` | `unknown_alert` | the account does not have the alert |
/// | | `alert_ended` | the alert has ended; the result carries its end |
/// | `alert.deactivate` | `unknown_alert` | the account does not have the alert |
/// | | `newer_call_for_help` | another device called again in the active alert, unseen; the result carries the newest call |
/// | `contact.put` | `too_many_contacts` | the contact is new and the account is full |
/// | | `invalid_channel` | a channel is plain HTTP, or nothing can be sent to any |
/// | notification request | `unknown_alert` | the account does not have the alert |
/// | | `alert_not_ended` | it asks to tell of an end, and the alert is active |
/// | `inbox.…` | `unknown_alert` | it stands in no inbox of theirs |
/// | | `alert_ended` | it has ended |
/// | | `older_answer`, `answer_lapsed` | they have answered since, or it waited too long |
///
/// `alert.activate`, `contact.remove` and `profile.put` are never refused; what has no room yet waits without a result.
struct RefusalChecks {
  let account: AccountModel
  let device: DeviceID

  private static let tooManyContacts = "too_many_contacts"
  private static let ofInbox = [ItemResult.unknownAlert, ItemResult.alertEnded, "older_answer", "answer_lapsed"]
  private static let notEnded = "alert_not_ended"

  /// Whether the refusal is justified in the account's current state.
  func allows(_ result: ItemResult, of item: ReceivedMutation) -> Bool {
    switch item {
    case .invalid(_, _, let code, _): return result.code == code
    case .valid(let mutation):
      let alert = account.alerts[AlertID(mutation.entityID)]
      switch mutation.change {
      case .updateAlert: return allowsCall(result, in: alert)
      case .deactivateAlert(let end): return allowsEnd(result, end, of: alert)
      case .putContact(let details): return allowsContact(result, ContactID(mutation.entityID), details)
      case .seeInbox, .answerInbox: return result.code.map(Self.ofInbox.contains) ?? false
      case .activateAlert, .removeContact, .putProfile: return false
      }
    }
  }

  /// Whether the refusal is justified in the account's current state.
  func allows(_ result: ItemResult, of item: ReceivedNotification) -> Bool {
    switch item {
    case .invalid(_, let code, _): return result.code == code
    case .valid(let request):
      guard let alert = account.alerts[request.alertID] else { return result.code == ItemResult.unknownAlert }
      return result.code == Self.notEnded && request.notice == .deactivated && alert.isActive
    }
  }

  private func allowsCall(_ result: ItemResult, in alert: AccountModel.ModelAlert?) -> Bool {
    guard let alert else { return result.code == ItemResult.unknownAlert }
    return result.code == ItemResult.alertEnded && !alert.isActive && result.endedAt == alert.alert.endedAt
  }

  private func allowsEnd(
    _ result: ItemResult, _ end: AlertDeactivation, of alert: AccountModel.ModelAlert?
  ) -> Bool {
    guard let alert else { return result.code == ItemResult.unknownAlert }
    return result.code == ItemResult.newerCallForHelp && alert.isActive
      && alert.callUnseen(by: end, from: device) != nil
      && result.newestUpdate == alert.calls.last?.id
  }

  private func allowsContact(_ result: ItemResult, _ id: ContactID, _ details: ContactDetails) -> Bool {
    switch result.code {
    case InvalidInput.Code.channel.rawValue:
      details.channels.contains(where: \.isPlain) || details.channels.allSatisfy(\.isMalformed)
    case Self.tooManyContacts: account.contacts[id] == nil && account.contacts.count >= AccountLimits().contacts
    default: false
    }
  }
}

extension AccountModel.ModelAlert {
  /// The newest call of another device after those that `end` has seen; nil if it has seen all of them.
  func callUnseen(by end: AlertDeactivation, from device: DeviceID) -> ServerHistory.Call? {
    guard let updates = end.seenUpdates else { return nil }
    let seen = calls.lastIndex { updates.contains($0.id) } ?? -1
    return calls[(seen + 1)...].last { $0.isCall && $0.device != device }
  }
}

import Model
import PlantedBugs
import Secrets

/// The code in a text message, with which a responder answers by text message: it stands for one responder, one alert and one number.
///
/// The sender of a text message can be forged, so that a number alone proves nothing. The code is derived from the server's secret, so that
/// every message to the number about the alert has the same, and no store keeps it.
struct AnswerCode: Equatable {
  static let digitCount = 6

  var link: AnswerLink
  var text: String
}

/// What a store knows of a code and the number to which it was sent: a keyed hash of both.
package struct AnswerKey: Sendable, Hashable {
  package static let byteCount = 32

  package var bytes: [UInt8]

  package init(bytes: [UInt8]) {
    self.bytes = bytes
  }
}

extension ServerKeys {
  /// The code of messages to `target`; nil unless its channel is a telephone that gets text messages.
  func answerCode(for target: DeliveryTarget) -> AnswerCode? {
    guard let number = target.channel?.textedNumber else { return nil }
    let text = answerCode(of: target.contact, about: target.alert, of: target.account, number: number)
    let link = AnswerLink(
      key: answerKey(of: text, from: number), account: target.account, alert: target.alert, contact: target.contact)
    return AnswerCode(link: link, text: text)
  }

  /// The digits of the code for one responder, one alert and one number.
  func answerCode(of contact: ContactID, about alert: AlertID, of account: AccountID, number: String) -> String {
    let hash = hash(Array("\(account) \(alert) \(contact) \(number)".utf8), for: .answerCode)
    let code = String(hash.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) } % 1_000_000)
    return String(repeating: "0", count: AnswerCode.digitCount - code.utf8.count) + code
  }

  func answerKey(of code: String, from number: String) -> AnswerKey {
    let number = PlantedBug.answerFromAnyNumber.isPlanted ? "" : number
    return AnswerKey(bytes: hash(Array("\(number) \(code)".utf8), for: .answerKey))
  }
}

extension Channel {
  /// E.164; nil for another kind of channel.
  var textedNumber: String? { kind == .sms ? telephone : nil }
}

import Model
import PlantedBugs
import Secrets
import Wire

/// `POST /v1/inbound/sms`: the SMS gateway hands over what somebody texted. Answers with the text that the gateway sends back, or queues it
/// as a text message.
enum InboundSMSRoute {
  /// Wrong codes from one number in an hour. With a million codes, this bounds what can be guessed by somebody who forges the sender.
  static let wrongCodesPerHour = 10

  static func rule(_ input: RouteInput) throws(Problem) -> Rule<Void> {
    let answers = try input.configuration.smsAnswers()
    let (number, text) = try message(input, answers)
    let answer = AnswerText(text)
    let limit = RateLimit(
      key: input.keys.hash(Array("answer\0\(number)".utf8), for: .rateCount), limit: wrongCodesPerHour,
      windowMilliseconds: 3_600_000)
    var needs = RequestNeeds()
    needs.rateCounts = [limit.need(at: input.now)]
    needs.answer = answer.code.map { input.keys.answerKey(of: $0, from: number) }
    return Rule(needs) { _, work in
      let isLimited = limit.waitMilliseconds(work.facts.rateCounts[limit.need(at: work.now)] ?? [], at: work.now) != nil
      let reply = isLimited ? Reply(.tooMany) : take(answer, from: number, limit, &work)
      guard answers.reply == .response else {
        work.queue(reply.stored, to: number)
        return .noContent
      }
      var json = JSONWriter()
      json.object { json in
        json.member("to", number)
        json.member("text", reply.kind.text(reply.phone, answer.code ?? ""))
      }
      return .json(json.bytes)
    }
  }

  /// What to tell the sender.
  private struct Reply {
    let kind: AnswerReply
    var link: AnswerLink?
    /// Of the person who raised the alert; empty where no alert is known.
    var phone = ""

    init(_ kind: AnswerReply, to visitor: AnswerVisitor? = nil) {
      self.kind = kind
      link = visitor?.link
      phone = visitor?.phone ?? ""
    }

    var stored: StoredReply {
      StoredReply(kind, about: link.map { .init(account: $0.account, alert: $0.alert, contact: $0.contact) })
    }
  }

  /// Does what the message says.
  private static func take(
    _ answer: AnswerText, from number: String, _ limit: RateLimit, _ work: inout RequestWork
  ) -> Reply {
    guard answer.code != nil else { return Reply(.noCode) }
    let visitors = work.facts.answers.compactMap { AnswerVisitor($0, from: number, &work) }
    guard let first = visitors.first else {
      work.writes.rateCounts.append(limit.step(at: work.now))
      return Reply(.wrongCode)
    }
    let active = visitors.filter(\.alert.record.alert.isActive)
    guard let visitor = active.first else {
      return Reply(first.isCallingForHelp(&work) ? .needsHelp : .over, to: first)
    }
    // By chance two alerts have one code: nobody may be told of the wrong one.
    guard active.count == 1 else { return Reply(.useLink) }
    // Whoever confirms a drill must not read that nobody is in danger.
    let isUnsafe = visitor.alert.record.alert.isDrill && visitor.isCallingForHelp(&work)
    let reply = visitor.take(answer.choice, &work)
    return Reply(isUnsafe ? .needsHelp : reply, to: visitor)
  }

  /// The sender's number and the text. Throws `malformedRequest`.
  private static func message(
    _ input: RouteInput, _ answers: SMSAnswers
  ) throws(Problem) -> (number: String, text: String) {
    let fields = [answers.senderField, answers.textField]
    let values = input.request.isJSON ? try json(input, fields) : try input.form()
    guard let sender = values[answers.senderField], let text = values[answers.textField] else {
      throw Problem(.malformedRequest, "\(fields[0]) or \(fields[1]) is missing")
    }
    return (international(sender), text)
  }

  private static func json(_ input: RouteInput, _ fields: [String]) throws(Problem) -> [String: String] {
    do throws(JSONError) {
      let root = try JSONDocument(input.request.body).root
      var values: [String: String] = [:]
      for field in fields { values[field] = try root.optionalString(named: field) }
      return values
    } catch {
      throw Problem(.malformedRequest, error.message)
    }
  }

  /// E.164, whether the gateway writes `+1 202 555 0123`, `0012025550123` or `12025550123`.
  private static func international(_ sender: String) -> String {
    let digits = sender.filter { $0.isASCII && $0.isNumber }
    return "+" + (sender.hasPrefix("00") ? digits.dropFirst(2) : digits[...])
  }
}

/// Whose answer a code is, for all that the server knows.
private struct AnswerVisitor {
  let link: AnswerLink
  let contact: Contact
  let alert: StoredAlert
  /// In a drill that of the number: it is tested by the answer.
  let channel: Channel?
  /// Of the person who raised the alert.
  let phone: String

  /// Nil where the contact is no responder any more, or has not this number, and long after the alert.
  init?(_ link: AnswerLink, from number: String, _ work: inout RequestWork) {
    let (alert, details, phone) = work.decide(about: link.account) { work in
      (work.state.alert(link.alert), work.state.contact(link.contact), work.state.facts.record?.phone ?? "")
    }
    guard let alert, let details, details.isResponder,
      let channel = details.channels.first(where: { $0.textedNumber == number || Self.takesAnyNumber($0) }),
      !PageVisitor.isOver(alert, now: work.now)
    else { return nil }
    self.link = link
    self.alert = alert
    self.channel = alert.record.alert.isDrill ? channel : nil
    self.phone = phone
    contact = Contact(id: link.contact, details: details)
  }

  private static func takesAnyNumber(_ channel: Channel) -> Bool {
    PlantedBug.answerFromAnyNumber.isPlanted && channel.textedNumber != nil
  }

  /// Whether the person is in danger, whatever became of this alert.
  func isCallingForHelp(_ work: inout RequestWork) -> Bool {
    work.decide(about: link.account) { $0.state.isCallingForHelp() }
  }

  func take(_ choice: AnswerText.Choice?, _ work: inout RequestWork) -> AnswerReply {
    switch choice {
    case nil where alert.record.alert.isDrill: return .unconfirmedDrill
    case nil: return .unclear
    case .yes:
      work.change(link.account) { work in
        // Who is on their way is not less than that.
        let earlier = work.state.response(of: contact.id, to: alert.id).flatMap { $0.answer.acknowledges ? $0 : nil }
        work.take(
          earlier?.answer ?? .responding, earlier?.text, of: contact, about: alert, through: channel)
      }
      return alert.record.alert.isDrill ? .drill : .coming
    case .no where alert.record.alert.isDrill: return .unconfirmedDrill
    case .no:
      work.change(link.account) { $0.take(.cannot, nil, of: contact, about: alert) }
      return .notComing
    }
  }
}

import Arguments
import Model
import Secrets
import Wire

@testable import CommandLineTool
@testable import ServerCore
@testable import TerminalScreen

extension FuzzTarget {
  /// Messages to responders, whatever other people put into them: no line end gets into a header, and the body is of its media
  /// type.
  static let messages = FuzzTarget("messages") {
    [
      [0, 3, 0, 3, 1, 1, 4] + Array("Help".utf8) + [3] + Array("Ana".utf8) + [60, 0],
      [7, 1, 9, 2, 8, 1, 9] + Array("\u{1F6A8}\r\n\u{202E}a".utf8) + [2] + Array("B\n".utf8) + [1, 2, 3, 4, 5, 6],
    ]
  } run: { bytes in
    var input = FuzzInput(bytes)
    let message = deliveryMessage(&input)
    guard let webhook = try? Channel("https://hooks.example.org/a"),
      let ntfy = try? Channel("ntfy://localhost:80/topic")
    else {
      return
    }
    let hook = ChannelRequest.webhook(webhook, message, key: [UInt8](repeating: 7, count: 32))
    checkHeaders(hook)
    let root = try? JSONDocument(hook.body).root
    require(root?.isObject == true, "a webhook's body is JSON")
    require((try? root?.required("data").string("text")) == MessageText(message).text, "a webhook's text reads back")
    guard let keys = SecretKey(bytes: [UInt8](repeating: 7, count: 32)).map(ServerKeys.init),
      let write = NtfyDriver(allowsPrivateChannels: input.flag()).writer(over: ntfy)
    else {
      return require(false, "a topic has a request")
    }
    let topic = write(message, keys)
    checkHeaders(topic)
    require(topic.body.count <= 4003, "a topic's message is no attachment")
    require(String(validating: topic.body, as: UTF8.self) != nil, "a message is cut between characters")
    checkMail(message)
    require(!VoiceText(message).text.contains("\n"), "a call is one line")
  }

  /// Other people's texts on a terminal: they never move the cursor, and nothing is drawn outside its place. Two bytes for the
  /// size.
  static let screen = FuzzTarget("screen", isSlow: true) {
    ["Ana\n李小龍\nthe address answers 410", "\u{1B}[2J\u{202E}a\u{301}\u{302}\u{303}\u{304}\u{305}\n🚨🇩🇪👨‍👩‍👧\u{FE0F}"].map {
      [80, 24, 0] + Array($0.utf8)
    }
  } run: { bytes in
    var input = FuzzInput(bytes)
    let size = ScreenSize(columns: input.number(below: 256), rows: input.number(below: 64))
    let isASCII = input.flag()
    let text = input.remaining().text
    require(
      !text.printable.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F }, "what is printed has no controls"
    )
    for columns in 2...6 {
      let lines = TextLayout.wrapped(text, columns: columns)
      require(lines.allSatisfy { TextLayout.width($0) <= columns }, "a wrapped line is no wider than its place")
    }
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    let canvas = ScreenView.draw(model(of: lines), size: size, isASCII: isASCII)
    for line in canvas.lines {
      let hasControls = line.unicodeScalars.contains { $0.properties.generalCategory == .control }
      require(!hasControls, "what is drawn has no controls")
      require(!isASCII || line.utf8.allSatisfy { (0x20...0x7E).contains($0) }, "a screen of ASCII shows ASCII")
      require(TextLayout.width(line) <= size.columns, "a line is no wider than the screen")
    }
    _ = closest(to: text, among: lines)
  }
}

private func deliveryMessage(_ input: inout FuzzInput) -> DeliveryMessage {
  let flags = input.byte()
  let startedAt = Timestamp(milliseconds: input.integer())
  let receivedAt = Timestamp(milliseconds: input.integer())
  let endedAt = flags & 1 == 0 ? nil : Timestamp(milliseconds: input.integer())
  let said = try? AlertMessage.validated(input.optionalText())
  let alert = Alert(
    id: Sample.identifier(1), startedAt: startedAt, endedAt: endedAt, message: said, location: location(&input),
    isDrill: flags & 2 != 0)
  let target = DeliveryTarget(
    account: Sample.identifier(6), alert: Sample.identifier(1), contact: Sample.identifier(2), channel: nil)
  let delivery = StoredDelivery(
    id: Sample.identifier(4), target: target, contactName: input.text(),
    notice: flags & 4 == 0 ? .activated : .deactivated,
    state: .queued, stateAt: Sample.now, createdAt: Sample.now)
  return DeliveryMessage(
    delivery: delivery,
    alert: AlertRecord(alert: alert, ordinal: input.integer(), receivedAt: receivedAt, endReceivedAt: nil),
    told: alert, phone: "+12025550123", utcOffsetMinutes: flags & 8 == 0 ? nil : input.number(below: 2881) - 1440,
    wasTold: flags & 16 != 0,
    noContactSince: flags & 32 == 0 ? nil : Timestamp(milliseconds: input.integer()),
    now: Timestamp(milliseconds: input.integer()))
}

private func location(_ input: inout FuzzInput) -> Location? {
  guard input.flag() else { return nil }
  let latitude = Double(bitPattern: UInt64(bitPattern: input.integer()))
  return try? Location(latitude: latitude, longitude: Double(input.number(below: 360)) / 7)
}

private func checkMail(_ message: DeliveryMessage) {
  guard let sender = MailAddress("a@b.example"), let recipient = MailAddress("c@d.example") else {
    return require(false, "an address is one")
  }
  let mail = MailText(message, from: sender, to: recipient).bytes
  require(mail.allSatisfy { (0x20...0x7E).contains($0) || $0 == 0x0D || $0 == 0x0A }, "a mail is printable ASCII")
  let lines = mail.split(separator: 0x0A, omittingEmptySubsequences: false)
  require(
    lines.dropLast().allSatisfy { $0.last == 0x0D && $0.count <= 999 }, "a mail's lines end, and are short enough")
  require(lines.allSatisfy { $0.count { $0 == 0x0D } <= 1 }, "a line ends once")
  let fields = lines.prefix { $0 != [0x0D] }.filter { $0.first != 0x20 }
  let names = fields.map { String(decoding: $0.prefix { $0 != UInt8(ascii: ":") }, as: UTF8.self) }
  require(Set(names).count == names.count && Set(names).isSubset(of: mailFields), "no text becomes a header")
}

private let mailFields: Set = [
  "Date", "From", "To", "Subject", "Message-ID", "In-Reply-To", "References", "Auto-Submitted",
  "X-Auto-Response-Suppress", "Importance", "X-Priority", "MIME-Version", "Content-Type",
]

private func checkHeaders(_ request: ChannelRequest) {
  for header in request.headers {
    let text = header.name + header.value
    require(text.utf8.allSatisfy { (0x20...0x7E).contains($0) }, "a header is printable ASCII")
  }
}

/// A screen on which every foreign text is one of these lines.
private func model(of lines: [String]) -> ScreenModel {
  func line(_ number: Int) -> String { lines.isEmpty ? "" : lines[number % lines.count] }
  var model = ScreenModel()
  model.connection = .lost(since: line(0), reason: line(1))
  model.button = .active(hold: 0.5)
  model.status = StatusLine(text: line(0), trailing: line(1), style: .bad)
  model.ladder = [LadderRow(.failed, line(0), line(1), time: line(2)), LadderRow(.responding, line(1), line(2))]
  model.notice = StatusLine(text: line(2), style: .warning)
  if lines.count % 3 == 0 {
    model.dialog = Dialog(
      title: line(0), message: line(1), buttons: [.init(title: line(2)), .init(title: line(3))], chosen: 1)
  }
  switch lines.count % 4 {
  case 0: model.panel = .history
  case 1: model.panel = .phone(PhonePanel(region: line(0), callingCode: line(1), number: line(2), problem: line(3)))
  case 2: model.panel = .code(CodePanel(phone: line(0), code: line(1), problem: line(2)))
  default: break
  }
  model.history.rows = [.init(period: line(1), duration: line(2), isActive: true)]
  return model
}

import Model
import Secrets
import Testing
import Wire

@testable import ServerCore

/// Mails to responders: `tools/check-mail` sends them through a real mail server.
@Suite struct `Mails` {
  let server: AlertsServer
  let device: AlertsDevice

  init() throws {
    let mailServer = try MailServer(url: "smtp://mail.example.org:587", sender: "alerts@example.org")
    server = try AlertsServer { $0.mailServer = mailServer }
    device = try server.signIn("+12025550123")
  }

  private func add(_ name: String = "Ana", _ channel: String = "mailto:ana@example.net") throws {
    try device.sync([try device.contact(AlertsDevice.identifier(), name, channel)])
  }

  /// The header fields, unfolded, and the rest.
  private func parts(_ attempt: DeliveryAttempt) throws -> (fields: [String: String], rest: String) {
    let text = try #require(String(validating: attempt.body, as: UTF8.self))
    #expect(text.utf8.allSatisfy { (0x20...0x7E).contains($0) || $0 == 0x0D || $0 == 0x0A })
    let lines = text.split(separator: "\r\n", omittingEmptySubsequences: false)
    #expect(lines.allSatisfy { $0.utf8.count <= 76 + 40 && !$0.contains("\n") })
    let end = try #require(lines.firstIndex(of: ""))
    var fields: [String: String] = [:]
    var name = ""
    for line in lines[..<end] {
      if line.hasPrefix(" ") {
        fields[name]? += String(line.dropFirst())
      } else {
        let colon = try #require(line.firstRange(of: ": "))
        name = String(line[..<colon.lowerBound])
        #expect(fields.updateValue(String(line[colon.upperBound...]), forKey: name) == nil, "\(name) stands twice")
      }
    }
    return (fields, lines[end...].joined(separator: "\n"))
  }

  private func fields(_ attempt: DeliveryAttempt) throws -> [String: String] { try parts(attempt).fields }

  @Test func `go through the operator's server, in its name`() throws {
    try add()
    let alert = try device.raise(message: "fell\r\n.\r\n<b>", location: try Location(latitude: 46.5, longitude: 7.5))
    let attempt = try #require(try server.claim().first)
    #expect(attempt.url == "smtp://mail.example.org:587/example.org")
    #expect(
      attempt.request.mail?.sender == "alerts@example.org" && attempt.request.mail?.recipient == "ana@example.net")
    #expect(attempt.request.mail?.server.demandsEncryption == true)
    let (fields, rest) = try parts(attempt)
    #expect(fields["Date"] == "Sat, 21 Nov 2026 12:01:00 +0000")
    #expect(fields["From"] == "LifeSignal <alerts@example.org>" && fields["To"] == "Ana <ana@example.net>")
    #expect(fields["Subject"] == "HELP: +12025550123 needs help")
    #expect(fields["Message-ID"] == "<\(attempt.id)@example.org>" && fields["References"] == "<\(alert)@example.org>")
    #expect(fields["Auto-Submitted"] == "auto-generated" && fields["Importance"] == "high")
    #expect(rest.contains("Message: fell\n.\n<b>\n") && rest.contains("<p dir=3D\"auto\">&lt;b&gt;</p>"))
    #expect(!rest.replacing("=\n", with: "").contains("<b>\n<p"), "a message is no markup")
  }

  @Test func `tell help, safe and drills apart, in one thread an alert`() throws {
    try add()
    var threads: [String] = []
    for isDrill in [false, true] {
      let alert = try device.raise(isDrill: isDrill)
      let first = try #require(try server.claim().first)
      try server.complete(first, .mail(MailReply(250, to: .content)))
      try device.end(alert)
      let second = try #require(try server.claim().first)
      try server.complete(second, .mail(MailReply(250, to: .content)))
      let (help, safe) = (try fields(first), try fields(second))
      #expect(help["References"] == safe["References"] && help["Message-ID"] != safe["Message-ID"])
      #expect(help["Subject"] != safe["Subject"] && safe["Importance"] == nil)
      #expect((help["Importance"] == nil) == isDrill)
      for subject in [help["Subject"], safe["Subject"]] { #expect(subject?.hasPrefix("DRILL") == isDrill) }
      #expect(try device.receipts(alert).allSatisfy { $0.state == .sent && $0.channel == .mail })
      threads.append(help["References"] ?? "")
    }
    #expect(threads[0] != threads[1])
  }

  @Test(arguments: [
    "Ana <b>, \"x\"", "שרה \u{202E}abc", "=?UTF-8?Q?x?=", String(repeating: "李👩‍🚒", count: 25), "a:b", "A. B",
  ]) func `carry any name`(_ name: String) throws {
    try add(name)
    _ = try device.raise()
    let attempt = try #require(try server.claim().first)
    let to = try #require(try fields(attempt)["To"])
    #expect(to.hasSuffix(" <ana@example.net>"))
    let words = to.dropLast(" <ana@example.net>".count).split(separator: "=?UTF-8?B?").map { word in
      Base64.decode(String(word.dropLast(2))) ?? []
    }
    #expect(words.allSatisfy { String(validating: $0, as: UTF8.self) != nil }, "each word has whole characters")
    #expect(String(decoding: words.flatMap(\.self), as: UTF8.self) == name)
  }

  @Test(arguments: [
    "mailto:a%0d%0aRCPT%20TO:%3Cx@example.org", "mailto:a%20b@example.org", "mailto:a@b.example.org%3E",
    "mailto:%22a%22@example.org", "mailto:a..b@example.org", "mailto:%C3%BC@example.org", "mailto:a,b@example.org",
    "mailto:a@exam_ple.org", "mailto:a@.org", "mailto:a@127.0.0.1", "mailto:a%00@example.org",
  ]) func `do not go to what is no address`(_ channel: String) throws {
    try add("Ana", channel)
    let receipt = try #require(try device.receipts(try device.raise()).first)
    #expect(receipt.state == .failed && receipt.reason == "this mail address cannot be used")
  }

  @Test func `go to an address with a plus, however it is written`() throws {
    for channel in ["mailto:ana+x@example.net", "MAILTO:ana%2Bx@example.net"] {
      try add("Ana", channel)
      _ = try device.raise()
      #expect(try server.claim().last?.request.mail?.recipient == "ana+x@example.net")
    }
  }

  @Test(arguments: [
    (MailReply(451, to: .recipient), DeliveryState.queued, "the mail server did not take the mail"),
    (MailReply(535, to: .login), .queued, "the mail server did not take the mail"),
    (MailReply(553, to: .sender), .queued, "the mail server did not take the mail"),
    (MailReply(552, to: .content), .queued, "the mail server did not take the mail"),
    (MailReply(nil, to: .content), .queued, "the mail server did not take the mail"),
    (MailReply(550, to: .recipient), .failed, "the mail server refused the address"),
  ]) func `are given up only where the address is refused`(
    _ reply: MailReply, _ state: DeliveryState, _ reason: String
  ) throws {
    try add()
    let alert = try device.raise()
    for _ in 0..<12 {
      guard let attempt = try server.claim().first else { break }
      try server.complete(attempt, .mail(reply))
      server.advance(seconds: 600)
    }
    let receipt = try #require(try device.receipts(alert).first)
    #expect(receipt.state == state && receipt.reason == reason)
  }

  @Test(
    arguments: [
      (MailReply(451, to: .recipient), [5, 5, 5]), (MailReply(535, to: .login), [60, 60, 60]),
      (MailReply(nil, to: .content), [5, 120, 180]),
    ] as [(MailReply, [Int64])]) func `wait as the reply asks for`(_ reply: MailReply, _ seconds: [Int64]) throws
  {
    try add()
    _ = try device.raise()
    for shortest in seconds {
      let attempt = try #require(try server.claim().first)
      try server.complete(attempt, .mail(reply))
      server.advance(seconds: shortest - 1)
      #expect(try server.claim().isEmpty)
      server.advance(seconds: 31)
    }
  }

  @Test func `say that the server cannot be reached`() throws {
    try add()
    let alert = try device.raise()
    try server.complete(try #require(try server.claim().first), .networkFailure("mail.internal refused"))
    #expect(try device.receipts(alert).first?.reason == "the mail server cannot be reached")
  }

  @Test(arguments: [
    ("a=b", "a=3Db"), ("a ", "a=20"), (" a", " a"), ("\t", "=09"), ("ü\r\nb\n", "=C3=BC\r\nb\r\n"), ("", ""),
    (String(repeating: "a", count: 76), String(repeating: "a", count: 75) + "=\r\na"),
    (String(repeating: "a", count: 74) + "ü", String(repeating: "a", count: 74) + "=\r\n=C3=BC"),
  ]) func `are quoted-printable`(_ text: String, _ encoded: String) {
    #expect(QuotedPrintable.encoded(text) == encoded)
  }

  @Test(
    arguments: [
      (0, "Thu, 01 Jan 1970 00:00:00 +0000"), (-1, "Wed, 31 Dec 1969 23:59:59 +0000"),
      (951_782_400_000, "Tue, 29 Feb 2000 00:00:00 +0000"),
    ] as [(Int64, String)]) func `are dated`(_ milliseconds: Int64, _ date: String)
  {
    #expect(MailHeader.date(Timestamp(milliseconds: milliseconds)) == date)
  }
}

/// What an operator writes about the mail server.
@Suite struct `A mail server` {
  private func server(_ json: String) throws -> MailServer {
    try MailServer(json: Array(json.utf8)) { path throws(GatewayTemplate.TemplateError) in "<\(path)>" }
  }

  @Test func `has a login whose password is in a file`() throws {
    let server = try server(
      #"{"url": "smtps://m.example:465", "from": "a@b.example", "user": "u", "password": "{file:/p}", "ca": "/ca"}"#)
    #expect(server.login == MailServer.Login(user: "u", password: "</p>") && server.certificateAuthorityFile == "/ca")
    #expect(server.demandsEncryption)
  }

  @Test(arguments: [
    (#"{"url": "smtp://m.example:587", "from": "a@b.example"}"#, true),
    (#"{"url": "smtp://localhost", "from": "a@b.example"}"#, false),
    (#"{"url": "smtp://[::1]:25", "from": "a@b.example"}"#, false),
    (#"{"url": "smtp://127.0.0.1:25", "from": "a@b.example", "tls": true}"#, true),
    (#"{"url": "smtps://localhost", "from": "a@b.example"}"#, true),
  ]) func `is spoken to in the clear on this machine alone`(_ json: String, _ isEncrypted: Bool) throws {
    #expect(try server(json).demandsEncryption == isEncrypted)
  }

  @Test(arguments: [
    "", "[]", "{}", #"{"url": "smtp://m.example"}"#, #"{"url": "https://m.example", "from": "a@b.example"}"#,
    #"{"url": "smtp://", "from": "a@b.example"}"#, #"{"url": "smtp://u:p@m.example", "from": "a@b.example"}"#,
    #"{"url": "smtp://m.example/x", "from": "a@b.example"}"#,
    #"{"url": "smtp://m.example:99999", "from": "a@b.example"}"#,
    #"{"url": "smtp://m.example", "from": "a"}"#, #"{"url": "smtp://m.example", "from": "A <a@b.example>"}"#,
    #"{"url": "smtp://m.example", "from": "a@b.example", "user": "u"}"#,
    #"{"url": "smtp://m.example", "from": "a@b.example", "password": "p"}"#,
    #"{"url": "smtp://m.example", "from": "a@b.example", "tls": false}"#,
    #"{"url": "smtps://localhost", "from": "a@b.example", "tls": false}"#,
    #"{"url": "smtp://m.example\r\n", "from": "a@b.example"}"#,
    #"{"url": "smtp://m.example", "from": "a@b.example", "user": "u", "password": "{file:/p"}"#,
  ]) func `is refused where it cannot be used`(_ json: String) {
    #expect(throws: GatewayTemplate.TemplateError.self) { try server(json) }
  }
}

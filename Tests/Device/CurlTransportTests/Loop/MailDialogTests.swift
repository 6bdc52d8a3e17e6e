import ChildPrograms
import Testing

@testable import CurlKit

/// The client's part of a mail, without a connection.
@Suite(.blocking) struct `A mail dialog` {
  private let envelope = MailEnvelope(
    sender: "alerts@example.org", recipient: "ana@example.org", login: nil, demandsEncryption: true)

  private func dialog(_ content: String = "Subject: x\r\n\r\nHelp\r\n") -> MailDialog {
    MailDialog(envelope, content: Array(content.utf8))
  }

  private func take(_ reply: String, _ dialog: inout MailDialog) {
    let isReply = dialog.receive(Array(reply.utf8))
    #expect(isReply, "\(reply)")
  }

  /// What the client says until the server has given these replies.
  private func said(_ dialog: inout MailDialog, _ replies: [String]) -> [String] {
    var said: [String] = []
    for reply in [nil] + replies.map(Optional.some) {
      if let reply { take(reply, &dialog) }
      said.append(String(decoding: dialog.output, as: UTF8.self))
      dialog.sent(dialog.output.count)
    }
    return said
  }

  @Test func `is sender, recipient, mail, and goodbye`() {
    var dialog = dialog()
    let said = said(&dialog, ["250 OK\r\n", "250-OK\r\n250 yes\r\n", "354 go on\r\n", "250 2.0.0 queued\r\n"])
    #expect(
      said == [
        "MAIL FROM:<alerts@example.org>\r\n", "RCPT TO:<ana@example.org>\r\n", "DATA\r\n",
        "Subject: x\r\n\r\nHelp\r\n.\r\n", "QUIT\r\n",
      ])
    #expect(dialog.end?.code == 250 && dialog.end?.step == .content)
  }

  @Test(arguments: [
    (["550 no\r\n"], 550, MailStep.sender), (["250 ok\r\n", "451-later\r\n451 please\r\n"], 451, .recipient),
    (["250 ok\r\n", "251 ok\r\n", "554 no\r\n"], 554, .content),
    (["250 ok\r\n", "250 ok\r\n", "354 go on\r\n", "552 too large\r\n"], 552, .content),
    // An answer out of place is none of consent.
    (["354 go on\r\n"], 354, .sender),
  ]) func `ends with the reply that is no consent`(_ replies: [String], _ code: Int, _ step: MailStep) {
    var dialog = dialog()
    #expect(said(&dialog, replies).last == "QUIT\r\n")
    #expect(dialog.end?.code == code && dialog.end?.step == step)
  }

  @Test func `is broken off by a server that takes what it has not got`() {
    var dialog = dialog()
    _ = said(&dialog, ["250 ok\r\n", "250 ok\r\n"])
    #expect(!dialog.receive(Array("250 ok\r\n".utf8)) && dialog.end == nil)
    dialog = self.dialog()
    _ = said(&dialog, ["250 ok\r\n", "250 ok\r\n"])
    take("354 go on\r\n", &dialog)
    dialog.sent(3)
    #expect(!dialog.receive(Array("250 taken\r\n".utf8)) && dialog.end == nil, "before the whole mail is sent")
  }

  @Test(arguments: [
    (".\r\n..a\r\nb.\r\n", "..\r\n...a\r\nb.\r\n.\r\n"), ("", ".\r\n"), ("no end", "no end\r\n.\r\n"),
    ("QUIT\r\n.", "QUIT\r\n..\r\n.\r\n"),
  ]) func `sends a line with a dot as a line with a dot`(_ content: String, _ sent: String) {
    var dialog = dialog(content)
    #expect(said(&dialog, ["250 a\r\n", "250 b\r\n", "354 c\r\n"]).last == sent)
  }

  @Test func `reads replies in any pieces`() {
    var dialog = dialog()
    _ = said(&dialog, [])
    for letter in "250-a\r\n250 b\r\n".unicodeScalars { take(String(letter), &dialog) }
    #expect(String(decoding: dialog.output, as: UTF8.self).hasPrefix("RCPT TO"))
  }

  @Test func `takes no reply to what it has not said`() {
    var dialog = dialog()
    let isEarly = dialog.receive(Array("250 a\r\n".utf8))
    #expect(!isEarly)
    dialog.sent(dialog.output.count)
    let areTwo = dialog.receive(Array("250 a\r\n250 b\r\n".utf8))
    #expect(!areTwo)
  }

  @Test(arguments: ["HTTP/1.1 400 Bad Request\r\n", "\r\n", "25\r\n", String(repeating: "250-x\r\n", count: 5000)])
  func `takes nothing else for a reply`(_ text: String) {
    var dialog = dialog()
    let isReply = dialog.receive(Array(text.utf8))
    #expect(!isReply)
  }

  @Test func `is unanswered once the whole mail is on its way`() {
    var dialog = dialog()
    _ = said(&dialog, ["250 a\r\n", "250 b\r\n"])
    #expect(!dialog.isUnanswered)
    take("354 c\r\n", &dialog)
    #expect(!dialog.isUnanswered)
    dialog.sent(dialog.output.count)
    #expect(dialog.isUnanswered)
    take("250 d\r\n", &dialog)
    #expect(!dialog.isUnanswered)
  }

  @Test(arguments: [
    ("smtp://mail.example.org", true, nil), ("smtps://mail.example.org:465/name", true, nil),
    ("smtp://127.0.0.1:25", false, nil), ("smtp://mail.example.org", false, CurlError.Code.invalidRequest),
    ("http://127.0.0.1", true, .invalidRequest), ("smtps://user:secret@mail.example.org", true, .invalidRequest),
  ]) func `goes over an encrypted connection, or to this machine`(
    _ url: String, _ isEncrypted: Bool, _ code: CurlError.Code?
  )
    throws
  {
    var envelope = envelope
    envelope.demandsEncryption = isEncrypted
    do throws(CurlError) {
      _ = try Target(mailURL: url, envelope)
      #expect(code == nil)
    } catch {
      #expect(error.code == code)
    }
  }

  @Test(arguments: ["a b@example.org", "a>@example.org", "a\r\nRCPT TO:<b@example.org", ""])
  func `has no address with another command in it`(_ recipient: String) throws {
    var request = CurlRequest(url: "smtp://127.0.0.1:9", addressPolicy: .any)
    request.mail = MailEnvelope(sender: "a@b.c", recipient: recipient, login: nil, demandsEncryption: false)
    let error = #expect(throws: CurlError.self) { try CurlLoop().start(request) }
    #expect(error?.code == .invalidRequest)
  }
}

import Model

/// Writes a message to a responder as a mail (RFC 5322): as plain text and as HTML, which say the same.
struct MailText {
  private let message: DeliveryMessage
  private let sender: MailAddress
  private let recipient: MailAddress

  init(_ message: DeliveryMessage, from sender: MailAddress, to recipient: MailAddress) {
    self.message = message
    self.sender = sender
    self.recipient = recipient
  }

  /// The whole mail: ASCII in lines of at most 998 bytes, which end with CR LF.
  var bytes: [UInt8] {
    let boundary = "=_\(message.id)"
    let lines =
      headers(boundary: boundary) + [""] + part("plain", plain, boundary) + part("html", html.text, boundary)
      + ["--\(boundary)--", ""]
    return Array(lines.joined(separator: "\r\n").utf8)
  }

  /// Tells help, safety and drills apart.
  var subject: String {
    let isDrill = message.alert.alert.isDrill
    return switch message.content {
    case .help: isDrill ? "DRILL, only a test: \(person) tries an alert" : "HELP: \(person) needs help"
    case .safe: isDrill ? "DRILL, only a test: it has ended" : "SAFE: \(person) is safe now"
    case .helpAndSafe: isDrill ? "DRILL, only a test: it has ended" : "SAFE: \(person) was in danger, and is safe now"
    case .check: "Are you still responding? \(person) still needs help"
    case .relief: "\(message.whoIs) responding to \(person)"
    }
  }

  private var person: String { message.person.brief(upTo: 60) }
  private var isUrgent: Bool { message.content == .help && !message.alert.alert.isDrill }

  private func headers(boundary: String) -> [String] {
    // A mail that nobody sent: mail programs show all mails about the alert below it, in one thread.
    let thread = "<\(message.alert.alert.id)@\(sender.domain)>"
    return [
      "Date: \(MailHeader.date(message.now))",
      "From: LifeSignal <\(sender.text)>",
      "To: \(MailHeader.phrase(message.delivery.contactName)) <\(recipient.text)>",
      "Subject: \(MailHeader.text(subject))",
      "Message-ID: <\(message.id)@\(sender.domain)>",
      "In-Reply-To: \(thread)",
      "References: \(thread)",
      // No mail program answers that its owner is away (RFC 3834, and what Exchange reads).
      "Auto-Submitted: auto-generated",
      "X-Auto-Response-Suppress: All",
    ] + (isUrgent ? ["Importance: high", "X-Priority: 1"] : []) + [
      "MIME-Version: 1.0",
      "Content-Type: multipart/alternative; boundary=\"\(boundary)\"",
    ]
  }

  /// No line of a quoted-printable text has `=_`, so none is the boundary (RFC 2045 §6.7).
  private func part(_ subtype: String, _ text: String, _ boundary: String) -> [String] {
    [
      "--\(boundary)", "Content-Type: text/\(subtype); charset=utf-8", "Content-Transfer-Encoding: quoted-printable",
      "", QuotedPrintable.encoded(text),
    ]
  }

  // The words

  private var plain: String { "\(MessageText(message).text)\n\n\(footer)\n" }

  private var footer: String {
    message.page == nil
      ? "LifeSignal sent this. Nobody reads replies to this address."
      : "Answer with the link, not by mail: nobody reads replies to this address."
  }

  private var html: HTML {
    var bare = message
    bare.page = nil
    let lines = MessageText(bare).text.split(whereSeparator: \.isNewline)
    return """
      <!doctype html>
      <html lang="en">
      <head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>\(subject)</title></head>
      <body style="margin:0;padding:16px;font:16px/1.5 sans-serif;overflow-wrap:anywhere">
      <h1 style="margin:0 0 16px;font-size:24px;color:\(color)"><bdi>\(String(lines.first ?? ""))</bdi></h1>
      \(button)\(lines.dropFirst().map { "<p dir=\"auto\">\(String($0))</p>\n" as HTML })\(map)<p>\(footer)</p>
      </body>
      </html>

      """
  }

  /// A drill never looks like a call for help.
  private var color: HTML { isUrgent ? "#b00020" : "#1b5e20" }

  private var button: HTML {
    guard let page = message.page else { return "" }
    let label = message.alert.alert.isDrill ? "Confirm this drill" : "See more and answer"
    let style: HTML = "display:inline-block;padding:14px 24px;border-radius:8px;background:\(color);color:#ffffff"
    return """
      <p><a href="\(page.url)" style="\(style)">\(label)</a></p>
      <p>Or open this link: <a href="\(page.url)">\(page.url)</a></p>

      """
  }

  private var map: HTML {
    guard message.content != .safe, message.content != .relief, let place = message.alert.newestLocation else {
      return ""
    }
    let url = "https://www.openstreetmap.org/?mlat=\(place.latitude)&mlon=\(place.longitude)"
    return "<p><a href=\"\(url)\">Open the map</a></p>\n"
  }
}

/// The client's part of one mail transaction (RFC 5321 §3.3), on a connection on which it has said who it is.
///
/// It makes no calls: the bytes of `output` go to the server, what comes from there goes to `receive`.
struct MailDialog {
  /// The longest reply, all of its lines together.
  static let maximumReplyBytes = 16 << 10

  /// What is to be sent now.
  private(set) var output: ArraySlice<UInt8>
  /// The reply that ended the transaction: its code, and what it is about.
  private(set) var end: (code: Int, step: MailStep)?

  private let envelope: MailEnvelope
  private let content: [UInt8]
  /// What the next reply is about.
  private var step = MailStep.sender
  private var isTakingContent = false
  /// The beginning of a line.
  private var line: [UInt8] = []
  private var replyByteCount = 0

  /// `content` is the mail in lines that end with CR LF.
  init(_ envelope: MailEnvelope, content: [UInt8]) {
    self.envelope = envelope
    self.content = content
    output = Array("MAIL FROM:<\(envelope.sender)>\r\n".utf8)[...]
  }

  /// Whether the whole mail is on its way, and the server has not said whether it takes it.
  var isUnanswered: Bool { isTakingContent && output.isEmpty && end == nil }

  mutating func sent(_ count: Int) { output = output.dropFirst(count) }

  /// Takes bytes of the server; false if they are no reply to what was sent.
  mutating func receive(_ bytes: some Sequence<UInt8>) -> Bool {
    for byte in bytes where end == nil {
      line.append(byte)
      replyByteCount += 1
      guard replyByteCount <= Self.maximumReplyBytes else { return false }
      guard byte == UInt8(ascii: "\n") else { continue }
      guard let code = Self.code(line) else { return false }
      let isLast = line[3] != UInt8(ascii: "-")
      line = []
      guard isLast else { continue }
      guard output.isEmpty || isTakingContent else { return false }
      // It cannot have taken what it has not got.
      let isTaken = step == .content && (200..<300).contains(code)
      guard !isTaken || isTakingContent && output.isEmpty else { return false }
      answer(code)
    }
    return true
  }

  /// Of a line such as `250 OK` or `250-SIZE`.
  private static func code(_ line: [UInt8]) -> Int? {
    guard line.count >= 4, line.prefix(3).allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return line.prefix(3).reduce(0) { $0 * 10 + Int($1 - 0x30) }
  }

  private mutating func answer(_ code: Int) {
    replyByteCount = 0
    switch (step, code) {
    case (.sender, 200..<300):
      step = .recipient
      say("RCPT TO:<\(envelope.recipient)>\r\n")
    case (.recipient, 200..<300):
      step = .content
      say("DATA\r\n")
    case (.content, 354) where !isTakingContent:
      isTakingContent = true
      output = Self.stuffed(content)[...]
    default:
      end = (code, step)
      say("QUIT\r\n")
    }
  }

  private mutating func say(_ command: String) { output = Array(command.utf8)[...] }

  /// With another dot before each line that begins with one, and the line that ends the mail (RFC 5321 §4.5.2).
  private static func stuffed(_ content: [UInt8]) -> [UInt8] {
    var stuffed: [UInt8] = []
    stuffed.reserveCapacity(content.count + 16)
    var isAtStart = true
    for byte in content {
      if isAtStart, byte == UInt8(ascii: ".") { stuffed.append(byte) }
      stuffed.append(byte)
      isAtStart = byte == UInt8(ascii: "\n")
    }
    return stuffed + Array((isAtStart ? ".\r\n" : "\r\n.\r\n").utf8)
  }
}

import Model
import Secrets

/// A topic of an ntfy server, to which telephones subscribe.
struct NtfyDriver: ChannelDriver {
  let allowsPrivateChannels: Bool

  func reasonAgainst(_ channel: Channel) -> String? {
    allowsPrivateChannels || !channel.isPlain ? nil : "this server does not send over plain HTTP"
  }

  func writer(over channel: Channel) -> RequestWriter? {
    guard let url = url(of: channel) else { return nil }
    return { [allowsPrivateChannels] message, _ in
      var request = ChannelRequest.ntfy(url, message)
      request.addresses = allowsPrivateChannels ? .any : .publicOnly
      return request
    }
  }

  /// `ntfy://` is HTTPS. If private channels are allowed, `ntfy+http://`, and `ntfy://` to a loopback host, is plain HTTP.
  private func url(of channel: Channel) -> String? {
    guard let host = channel.host, let separator = channel.url.firstIndex(of: "/") else { return nil }
    let isPlain = allowsPrivateChannels && (channel.isPlain || Self.isLoopback(host))
    return (isPlain ? "http:" : "https:") + channel.url[separator...]
  }

  private static func isLoopback(_ host: String) -> Bool {
    let name = host.hasPrefix("[") ? host.prefix { $0 != "]" } : host.prefix { $0 != ":" }
    return name == "localhost" || name == "[::1" || name == "127.0.0.1"
  }
}

extension ChannelRequest {
  /// A message to a topic of an ntfy server (<https://docs.ntfy.sh/publish/>).
  static func ntfy(_ url: String, _ message: DeliveryMessage) -> Self {
    let text = MessageText(message)
    let isDrill = message.alert.alert.isDrill
    let (tag, priority) = isDrill ? ("test_tube", "3") : message.content.ntfyMark
    return Self(
      url: url,
      headers: [
        HeaderField("Content-Type", "text/plain; charset=utf-8"),
        HeaderField("Title", HeaderText.encoded(text.title)),
        HeaderField("Priority", priority),
        HeaderField("Tags", tag),
      ] + links(message),
      body: truncated(text.text))
  }

  /// A tap opens the page, and so does the button (<https://docs.ntfy.sh/publish/#action-buttons>).
  private static func links(_ message: DeliveryMessage) -> [HeaderField] {
    guard let page = message.page else { return [] }
    let label = message.alert.alert.isDrill ? "I got this" : "I'm coming"
    return [HeaderField("Click", page.url), HeaderField("Actions", "view, \(label), \(page.url)")]
  }

  /// ntfy turns a text over 4,096 bytes into an attachment: the text is truncated at a character.
  private static func truncated(_ text: String) -> [UInt8] {
    let maximumBytes = 4000
    guard text.utf8.count > maximumBytes else { return Array(text.utf8) }
    return Array((text.beginning(upTo: maximumBytes) { $0.utf8.count } + "…").utf8)
  }
}

extension DeliveryMessage.Content {
  /// The tag, which ntfy shows as an emoji, and the priority.
  fileprivate var ntfyMark: (tag: String, priority: String) {
    switch self {
    case .help: ("rotating_light", "5")
    case .check: ("question", "4")
    case .relief, .safe, .helpAndSafe: ("white_check_mark", "3")
    }
  }
}

/// Text in an HTTP header, which is ASCII.
enum HeaderText {
  /// `text` itself if it is printable ASCII, otherwise one RFC 2047 encoded word, which ntfy decodes.
  static func encoded(_ text: String) -> String {
    guard !text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else { return text }
    return "=?UTF-8?B?\(Base64.encode(Array(text.utf8)))?="
  }
}

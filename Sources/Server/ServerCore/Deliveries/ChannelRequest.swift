import Model
import PlantedBugs
import Secrets
import Wire

/// The HTTP request that carries a message.
struct ChannelRequest: Equatable {
  var url: String
  var headers: [HeaderField]
  var body: [UInt8]
}

extension ChannelRequest {
  /// A webhook, signed as the Standard Webhooks specification says under "Signature scheme".
  ///
  /// A receiver may ignore an id that it has seen: attempts of one delivery share it while they say the same (`messageID`). A
  /// message about an ended alert has the type `alert.deactivated`, even if the responder did not hear of the alert before: it
  /// does not call for help.
  static func webhook(_ channel: Channel, _ message: DeliveryMessage, key: [UInt8]) -> Self {
    let body = webhookBody(message)
    let id = messageID(message)
    let seconds = String(message.now.milliseconds / 1000)
    return Self(
      url: channel.url,
      headers: [
        HeaderField("Content-Type", "application/json"),
        HeaderField("webhook-id", id),
        HeaderField("webhook-timestamp", seconds),
        HeaderField("webhook-signature", signature(id: id, timestamp: seconds, body: body, key: key)),
      ],
      body: body)
  }

  /// The delivery's id, with a suffix if the message says more than it was queued for: the number of a later call, or `_ended`.
  private static func messageID(_ message: DeliveryMessage) -> String {
    let delivery = message.delivery
    if PlantedBug.newsUnderOldID.isPlanted { return delivery.id.description }
    let isEnd = message.content != .help
    if isEnd, delivery.notice == .activated { return "\(delivery.id)_ended" }
    if !isEnd, message.updateCount > delivery.callNumber { return "\(delivery.id)_\(message.updateCount)" }
    return delivery.id.description
  }

  /// `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body`.
  static func signature(id: String, timestamp: String, body: [UInt8], key: [UInt8]) -> String {
    "v1," + Base64.encode(HMACSHA256.of(Array("\(id).\(timestamp).".utf8) + body, key: key))
  }

  private static func webhookBody(_ message: DeliveryMessage) -> [UInt8] {
    let text = MessageText(message).text
    var json = JSONWriter()
    json.object { json in
      json.member("type", message.content == .help ? "alert.activated" : "alert.deactivated")
      json.member("timestamp", message.now.description)
      json.key("data")
      json.object { json in
        json.key("alert")
        message.alert.write(to: &json)
        json.member("raised_at", message.told.startedAt.description)
        json.member("safe_at", message.told.endedAt?.description)
        json.key("person")
        json.object { $0.member("phone", message.phone) }
        json.key("contact")
        json.object {
          $0.member("id", message.delivery.target.contact.description)
          $0.member("name", message.delivery.contactName)
        }
        json.member("delivery_id", message.delivery.id.description)
        json.member("page_url", message.page?.url)
        json.member("text", text)
        json.member("late", message.isLate)
        json.member("drill", message.alert.alert.isDrill)
        json.member("no_contact_since", message.noContactSince?.description)
      }
    }
    return json.bytes
  }

  /// A message to a topic of an ntfy server (<https://docs.ntfy.sh/publish/>).
  ///
  /// `ntfy://` is HTTPS. If private channels are allowed, `ntfy+http://`, and `ntfy://` to a loopback host, is plain HTTP.
  static func ntfy(_ channel: Channel, _ message: DeliveryMessage, allowsPrivateChannels: Bool) -> Self? {
    guard let host = channel.host, let separator = channel.url.firstIndex(of: "/") else { return nil }
    let isPlain = allowsPrivateChannels && (channel.isPlain || isLoopback(host))
    let text = MessageText(message)
    let isDrill = message.alert.alert.isDrill
    let tag = message.content == .help ? "rotating_light" : "white_check_mark"
    let priority = isDrill || message.content != .help ? "3" : "5"
    return Self(
      url: (isPlain ? "http:" : "https:") + channel.url[separator...],
      headers: [
        HeaderField("Content-Type", "text/plain; charset=utf-8"),
        HeaderField("Title", HeaderText.encoded(text.title)),
        HeaderField("Priority", priority),
        HeaderField("Tags", isDrill ? "test_tube" : tag),
      ] + links(message),
      body: truncated(text.text))
  }

  /// A tap opens the page, and so does the button (<https://docs.ntfy.sh/publish/#action-buttons>).
  private static func links(_ message: DeliveryMessage) -> [HeaderField] {
    guard let page = message.page else { return [] }
    let label = message.alert.alert.isDrill ? "I got this" : "I'm coming"
    return [HeaderField("Click", page.url), HeaderField("Actions", "view, \(label), \(page.url)")]
  }

  private static func isLoopback(_ host: String) -> Bool {
    let name = host.hasPrefix("[") ? host.prefix { $0 != "]" } : host.prefix { $0 != ":" }
    return name == "localhost" || name == "[::1" || name == "127.0.0.1"
  }

  /// ntfy turns a text over 4,096 bytes into an attachment: the text is truncated at a character.
  private static func truncated(_ text: String) -> [UInt8] {
    let maximumBytes = 4000
    guard text.utf8.count > maximumBytes else { return Array(text.utf8) }
    var kept = ""
    var bytes = 0
    for character in text {
      bytes += character.utf8.count
      if bytes > maximumBytes { break }
      kept.append(character)
    }
    return Array((kept + "…").utf8)
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

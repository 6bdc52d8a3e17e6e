import Model
import PlantedBugs
import Secrets
import Wire

/// A program of the responder, by HTTPS.
struct WebhookDriver: ChannelDriver {
  let allowsPrivateChannels: Bool

  func reasonAgainst(_ channel: Channel) -> String? {
    allowsPrivateChannels || !channel.isPlain ? nil : "this server does not send over plain HTTP"
  }

  func writer(over channel: Channel) -> RequestWriter? {
    { [allowsPrivateChannels] message, keys in
      let target = message.delivery.target
      var request = ChannelRequest.webhook(
        channel, message, key: keys.webhookKey(contact: target.contact, account: target.account))
      request.addresses = allowsPrivateChannels ? .any : .publicOnly
      return request
    }
  }
}

extension ChannelRequest {
  /// A webhook, signed as the Standard Webhooks specification says under "Signature scheme".
  ///
  /// A receiver may ignore an id that it has seen: attempts of one delivery share it while they say the same (`DeliveryMessage.id`). A
  /// message about an ended alert has the type `alert.deactivated`, even if the responder did not hear of the alert before: it
  /// does not call for help.
  static func webhook(_ channel: Channel, _ message: DeliveryMessage, key: [UInt8]) -> Self {
    let body = webhookBody(message)
    let id = message.id
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

  /// `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body`.
  static func signature(id: String, timestamp: String, body: [UInt8], key: [UInt8]) -> String {
    "v1," + Base64.encode(HMACSHA256.of(Array("\(id).\(timestamp).".utf8) + body, key: key))
  }

  private static func webhookBody(_ message: DeliveryMessage) -> [UInt8] {
    let text = MessageText(message).text
    var json = JSONWriter()
    json.object { json in
      json.member("type", message.content.webhookType)
      json.member("timestamp", message.now.description)
      json.key("data")
      json.object { json in
        json.key("alert")
        message.alert.write(to: &json)
        json.member("raised_at", message.told.startedAt.description)
        json.member("safe_at", message.told.endedAt?.description)
        json.key("person")
        json.object {
          $0.member("phone", message.phone)
          if let profile = message.profile { $0.member("name", profile.name) }
        }
        json.key("contact")
        json.object {
          $0.member("id", message.delivery.target.contact.description)
          $0.member("name", message.delivery.contactName)
        }
        json.member("delivery_id", message.delivery.id.description)
        json.member("asked_again", message.delivery.round)
        json.key("responding")
        json.array { for name in message.comers { $0.string(name) } }
        json.member("page_url", message.page?.url)
        json.member("text", text)
        json.member("late", message.isLate)
        json.member("drill", message.alert.alert.isDrill)
        json.member("no_contact_since", message.noContactSince?.description)
        if let time = message.olderPlaceAt, message.alert.newestLocation != nil {
          json.member("place_at", time.description)
        }
      }
    }
    return json.bytes
  }
}

extension DeliveryMessage.Content {
  fileprivate var webhookType: String {
    switch self {
    case .help: "alert.activated"
    case .check: "alert.check"
    case .relief: "alert.answered"
    case .safe, .helpAndSafe: "alert.deactivated"
    }
  }
}

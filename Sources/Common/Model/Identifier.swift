/// A 128-bit typed identifier, written as a lower-case UUID.
///
/// The type parameter prevents using an alert's id as a contact's. New ids are version 7 (RFC 9562 §5.7): the first 48 bits
/// are the creation time and the rest is random, so a queue's ids cluster in an index. No list is ordered by them.
public struct Identifier<Subject>: Hashable, Sendable {
  @usableFromInline let high: UInt64
  @usableFromInline let low: UInt64

  @inlinable init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// The same 128 bits as an id of another type.
  package init<Other>(_ other: Identifier<Other>) {
    self.init(high: other.high, low: other.low)
  }

  /// The 128 bits.
  @inlinable package var words: (UInt64, UInt64) { (high, low) }

  /// Any 128 bits: for an id that is derived from others.
  @inlinable package init(words: (UInt64, UInt64)) {
    self.init(high: words.0, low: words.1)
  }

  /// A version 7 id: 48 bits of `time`, 74 bits of `random`, and the version and variant.
  package init(versionSevenAt time: Timestamp, random: (UInt64, UInt64)) {
    let milliseconds = UInt64(bitPattern: time.milliseconds) & 0xFFFF_FFFF_FFFF
    high = milliseconds << 16 | 0x7000 | random.0 & 0x0FFF
    low = 0x8000_0000_0000_0000 | random.1 & 0x3FFF_FFFF_FFFF_FFFF
  }

  /// When a version 7 id was made; meaningless for others.
  package var createdAt: Timestamp { Timestamp(milliseconds: Int64(high >> 16)) }
}

extension Identifier: LosslessStringConvertible {
  /// Parses the canonical form, 8-4-4-4-12 hexadecimal digits of either case; anything else is nil.
  @inlinable public init?(_ description: String) {
    var text = description
    guard let identifier = text.withUTF8({ Self(utf8: $0) }) else { return nil }
    self = identifier
  }

  /// Parses the canonical form from UTF-8 bytes.
  @inlinable package init?(utf8 bytes: UnsafeBufferPointer<UInt8>) {
    guard let words = CanonicalUUID.words(of: bytes) else { return nil }
    self.init(words: words)
  }

  /// The canonical lower-case form.
  @inlinable public var description: String { CanonicalUUID.text(of: words) }
}

extension Identifier: Codable {
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let identifier = Self(try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a UUID")
    }
    self = identifier
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}

/// The id of an alert.
public typealias AlertID = Identifier<Alert>
/// The id of a contact.
public typealias ContactID = Identifier<Contact>
/// The id of a mutation: its idempotency key, the same for every retry.
public typealias MutationID = Identifier<Mutation>
/// The id of a notification request.
public typealias NotificationID = Identifier<NotificationRequest>
/// The id of a receipt.
public typealias ReceiptID = Identifier<Receipt>
/// The id of an alert in an inbox.
public typealias InboxID = Identifier<InboxAlert>
/// The id of a mutation's entity: an alert, a contact, or an alert in an inbox.
public typealias EntityID = Identifier<Entity>

/// The subject of `EntityID`. It has no values.
public enum Entity {}
/// The subject of `AccountID`. It has no values.
public enum Account {}
/// The subject of `DeviceID`. It has no values.
public enum Device {}

/// The id of a person's account on the server.
public typealias AccountID = Identifier<Account>
/// The id of one store on one device.
public typealias DeviceID = Identifier<Device>

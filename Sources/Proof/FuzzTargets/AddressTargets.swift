import DeviceCore
import Model
import PhoneNumbers

@testable import CommandLineTool
@testable import CurlKit
@testable import LocalStore
@testable import Secrets
@testable import ServerCore
@testable import ServerHTTP
@testable import Wire

extension FuzzTarget {
  /// A path with every byte escaped is the same path.
  static let requestTarget = FuzzTarget("request-target") {
    ["/v1/alerts?limit=20&before=1%2e2+3", "http://a.example:80/v1/sync", "/%F0%9F%98%80?a=b&a=c#d", "*"].map {
      Array($0.utf8)
    }
  } run: { bytes in
    guard let target = RequestTarget(bytes.text) else { return }
    require(target.path.hasPrefix("/") || target.path.utf8.first == UInt8(ascii: "/"), "a path begins with a slash")
    let query = target.query.map { escaped($0.key.utf8) + "=" + escaped($0.value.utf8) }
    let again = RequestTarget("/" + escaped(target.path.utf8.dropFirst()) + "?" + query.sorted().joined(separator: "&"))
    require(again == target, "an escaped target is the same")
  }

  /// Addresses of servers, from a person, an operator, a channel or a peer.
  static let addresses = FuzzTarget("addresses") {
    [
      "https://alerts.example.org:8443/base/", "http://[::1]:8080", "http://127.0.0.1:1/", "127.0.0.1:8080", "[::1]:0",
      "::ffff:192.0.2.1", "fe80::1%eth0", "http://localhost", "https://user@a/",
    ].map { Array($0.utf8) }
  } run: { bytes in
    let text = bytes.text
    guard (try? CurlLibrary.load()) != nil else { return require(false, "libcurl is here") }
    if let endpoint = try? Configuration.validatedEndpoint(text) {
      require((try? Configuration.validatedEndpoint(endpoint)) == endpoint, "an endpoint that was taken is taken again")
      // An address in the configuration must be callable.
      let target = try? Target(url: endpoint + "/health", policy: .httpsOrLoopback)
      require(target != nil || !isPlainHost(endpoint), "an endpoint can be called")
    }
    if let address = try? ListenAddress(text) {
      require((try? ListenAddress(address.description)) == address, "an address to listen on reads back")
      let isLoopback = address.withSocketAddress { address, _ in PeerAddress(address).isLoopback }
      require(
        isLoopback == address.host.hasPrefix("127.") || address.family == .version6, "a peer of this machine is known")
    }
    _ = RemoteAddress.subject(text)
    for policy in [AddressPolicy.any, .publicOnly, .httpsOrLoopback] {
      guard !text.utf8.contains(0), let target = try? Target(url: text, policy: policy) else { continue }
      let isPlainAllowed = policy == .any || target.addresses == .loopbackOnly
      require(isPlainAllowed || target.protocols == "https", "plain HTTP goes only where it may")
    }
    for count in [4, 16] where bytes.count >= count {
      guard let address = IPAddress(bytes.prefix(count)) else { continue }
      require(!(address.isPublic && address.isLoopback), "loopback is not public")
    }
  }

  /// Times, ids, cursors and the like.
  static let values = FuzzTarget("values") {
    [
      "2026-11-21T12:00:00.123+01:00", "1969-12-31t23:59:60z", "0190F0A0-0000-7000-8000-000000000001", "v1.abc.7.1f",
      "US",
      "52.5200,-13.4050", "1795262400000.0190f0a0-0000-7000-8000-000000000001", "20", "Sun, 06 Nov 1994 08:49:37 GMT",
    ].map { Array($0.utf8) }
  } run: { bytes in
    let text = bytes.text
    if let time = Timestamp(text) { require(Timestamp(time.description) == time, "a time reads back as what it was") }
    if let time = HTTPDate.parse(text, now: Sample.now) {
      require(Timestamp(time.description) == time, "a date is a time")
    }
    if let id = AlertID(text) { require(id.description == text.lowercased(), "an id reads back as what it was") }
    if let cursor = SyncCursor(text) {
      require(SyncCursor(cursor.text) == cursor, "a cursor reads back as what it was")
    }
    if let region = Region(code: text) {
      require(Region(code: region.code) == region, "a region reads back as what it was")
    }
    if let source = try? PlaceSource(text) { require(!source.host.isEmpty && source.port > 0, "gpsd is somewhere") }
    if let location = try? AlertInput.location(text) { require(abs(location.latitude) <= 90, "a place is on Earth") }
    if let number = try? AlertInput.integer(text, "limit", in: 1...1000) {
      require((1...1000).contains(number), "a bound holds")
    }
    _ = try? PhoneRegion.validated(text)
    let query = AlertsQuery(["limit": text, "before": text, "active": text])
    _ = try? query.limit(default: 1, maximum: 500)
    _ = try? query.ordinal()
    if let position = try? query.receivedPosition() {
      let again = try? AlertsQuery(["before": AlertsQuery.text(of: position)]).receivedPosition()
      require(again == position, "a position reads back as what it was")
    }
    var input = FuzzInput(bytes)
    let time = Timestamp(milliseconds: input.integer()), other = Timestamp(milliseconds: input.integer())
    _ = time.description + LocalTime(now: other).text(time) + LocalTime(now: other).full(time)
    _ = LocalTime.duration(milliseconds: other.milliseconds(since: time))
    _ = time.advanced(byMilliseconds: input.integer())
  }

  /// What people enter about themselves and others.
  static let people = FuzzTarget("people") {
    [
      "+12025550123", "(202) 555-0123", "https://hooks.example.org/a", "ntfy://ntfy.sh/topic", "sms:+12025550123",
      "mailto:a@b.example", "ntfy+http://localhost:80/t", "  Ana\u{301} \n", "李小龍",
    ].map { Array($0.utf8) }
  } run: { bytes in
    let text = bytes.text
    if let channel = try? Channel(text) {
      require((try? Channel(channel.url)) == channel, "a channel reads back as what it was")
      require(channel.host != nil || [.mail, .sms, .voice].contains(channel.kind), "a webhook has a host")
      _ = channel.isPlain
    }
    if let message = try? AlertMessage.validated(text) {
      require((try? AlertMessage.validated(message)) == message, "a message that was taken is taken again")
    }
    if let details = try? ContactDetails(
      name: text, phone: "+12025550123", isResponder: true, isDependent: false, channels: [])
    {
      let again = try? ContactDetails(
        name: details.name, phone: details.phone, isResponder: true, isDependent: false, channels: [])
      require(again == details, "a contact that was taken is taken again")
    }
    for region in [nil, "US", "DE"] {
      guard let number = try? PhoneEntry.normalized(text, region: region) else { continue }
      require((try? PhoneEntry.normalized(number, region: nil)) == number, "a number in full is the same number")
    }
    guard let region = Region(code: "GB") else { return }
    _ = PhoneNumber.isPossible(text, region: region)
    _ = try? PhoneNumber.formattedAsTyped(text, region: region)
  }

  /// Tokens, keys and their encodings.
  static let base64 = FuzzTarget("base64") {
    [Array("lsa_".utf8) + Array(Base64URL.encode([UInt8](0..<32)).utf8), Array("AAAA".utf8), Array("AA==".utf8)]
  } run: { bytes in
    let text = bytes.text
    if let decoded = Base64URL.decode(text) {
      require(Base64URL.encode(decoded) == text, "the canonical form alone is taken")
    }
    if let decoded = Base64.decode(text) {
      require(Base64.encode(decoded) == text, "the canonical form alone is taken")
    }
    if let token = BearerToken(text) { require(token.text == text, "a token reads back as what it was") }
    require(Base64URL.decode(Base64URL.encode(bytes)) == bytes, "what was encoded is decoded")
    require(Base64.decode(Base64.encode(bytes)) == bytes, "what was encoded is decoded")
  }
}

/// Escapes each byte.
private func escaped(_ bytes: some Sequence<UInt8>) -> String {
  bytes.map { byte in "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
}

/// A host of letters, digits, hyphens and dots: libcurl may reject others.
private func isPlainHost(_ endpoint: String) -> Bool {
  guard let start = endpoint.firstRange(of: "://")?.upperBound else { return false }
  let host = endpoint[start...].prefix { $0 != "/" && $0 != ":" }
  return !host.isEmpty && host.utf8.count < 200
    && host.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }
}

import Testing

@testable import Secrets

@Suite struct HashTests {
  @Test func `BLAKE2b matches the example of RFC 7693, appendix A`() {
    let expected = """
      ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d17d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923
      """
    #expect(hexadecimal(genericHash(Array("abc".utf8), key: [], byteCount: 64)) == expected)
  }

  @Test func `keyed BLAKE2b matches the first of the published known answers`() {
    let expected = """
      10ebb67700b1868efb4417987acf4690ae9d972fb7a590c2f02871799aaa4786b5e996e8f0f4eb981fc214b005f42d2ff4233499391653df7aefcbc13fc51568
      """
    #expect(hexadecimal(genericHash([], key: Array(0..<64), byteCount: 64)) == expected)
  }

  /// The expected value comes from Python's hashlib, another implementation.
  @Test func `a keyed hash is BLAKE2b-256 with a key of 32 bytes`() throws {
    let key = try #require(SecretKey(bytes: Array(0..<32)))
    let expected = "f60f5c4a575c43db6c93608515866ea998e04b35792f5a92b27aa5880cd6721e"
    #expect(hexadecimal(KeyedHash.of(Array(0..<255), key: key)) == expected)
  }

  @Test func `keys for other purposes differ, and a key has 32 bytes`() throws {
    let key = try #require(SecretKey(bytes: Array(0..<32)))
    #expect(key.derived(for: "a").bytes == key.derived(for: "a").bytes)
    #expect(key.derived(for: "a").bytes != key.derived(for: "b").bytes)
    #expect(SecretKey(bytes: Array(0..<31)) == nil)
    #expect(SecretKey.live().bytes != SecretKey.live().bytes)
  }

  @Test func `a key does not show in text`() throws {
    let key = try #require(SecretKey(bytes: [UInt8](repeating: 171, count: 32)))
    var dumped = ""
    dump(key, to: &dumped)
    for text in ["\(key)", String(reflecting: key), dumped] { #expect(!text.contains("171")) }
  }

  @Test(arguments: [
    (
      [UInt8](repeating: 0x0b, count: 20), Array("Hi There".utf8),
      "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
    ),
    (
      Array("Jefe".utf8), Array("what do ya want for nothing?".utf8),
      "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
    ),
    (
      [UInt8](repeating: 0xaa, count: 131), Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
      "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
    ),
  ])
  func `HMAC-SHA256 matches the examples of RFC 4231`(key: [UInt8], message: [UInt8], expected: String) {
    #expect(hexadecimal(HMACSHA256.of(message, key: key)) == expected)
  }

  @Test func `HMAC-SHA256 matches the example of Standard Webhooks`() throws {
    let key = try #require(Base64.decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"))
    let signed = #"msg_p5jXN8AQM9LWM0D4loKWxJek.1614265330.{"test": 2432232314}"#
    let signature = Base64.encode(HMACSHA256.of(Array(signed.utf8), key: key))
    #expect(signature == "g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
  }

  @Test func `constant-time equality agrees with equality`() {
    #expect(ConstantTime.equal([], []))
    #expect(ConstantTime.equal([1, 2, 3], [1, 2, 3]))
    #expect(!ConstantTime.equal([1, 2, 3], [1, 2, 4]))
    #expect(!ConstantTime.equal([1, 2, 3], [1, 2]))
  }
}

func hexadecimal(_ bytes: [UInt8]) -> String {
  bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
}

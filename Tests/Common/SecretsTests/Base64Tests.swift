import Secrets
import Testing

@Suite struct Base64Tests {
  @Test(arguments: [
    ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
    ("foobar", "Zm9vYmFy"),
  ])
  func `base64 matches the examples of RFC 4648`(plain: String, encoded: String) {
    #expect(Base64.encode(Array(plain.utf8)) == encoded)
    #expect(Base64.decode(encoded) == Array(plain.utf8))
    let unpadded = encoded.filter { $0 != "=" }
    #expect(Base64URL.encode(Array(plain.utf8)) == unpadded)
    #expect(Base64URL.decode(unpadded) == Array(plain.utf8))
  }

  @Test func `the two alphabets differ in their last two characters`() {
    #expect(Base64.encode([0xFB, 0xFF, 0xFE]) == "+//+")
    #expect(Base64URL.encode([0xFB, 0xFF, 0xFE]) == "-__-")
    #expect(Base64.decode("-__-") == nil)
    #expect(Base64URL.decode("+//+") == nil)
  }

  @Test(arguments: ["Zg", "Zg=", "Zh==", "Z", "Zg==\n", " Zg==", "Zg==Zg==", "Zm9v\0", "Zé=="])
  func `non-canonical text is refused`(text: String) {
    #expect(Base64.decode(text) == nil)
  }

  @Test(arguments: ["Zg==", "Zh", "Z", "Zg\n"]) func `non-canonical text is refused in the URL alphabet`(text: String) {
    #expect(Base64URL.decode(text) == nil)
  }

  @Test func `non-ASCII text is refused, even if libsodium might accept it`() {
    for scalar in ["\u{AD}", "é", "李", "\u{FFFD}", "🚨"] {
      for count in 1...16 {
        let text = String(repeating: scalar, count: count)
        for padded in [text, "A" + text + "A==", "AA" + text + "AA", text + "="] {
          #expect(Base64.decode(padded) == nil)
          #expect(Base64URL.decode(padded) == nil)
        }
      }
    }
  }

  @Test func `every length survives a round trip`() {
    for count in 0..<100 {
      let bytes = RandomBytes.live(count)
      #expect(Base64.decode(Base64.encode(bytes)) == bytes)
      #expect(Base64URL.decode(Base64URL.encode(bytes)) == bytes)
    }
  }
}

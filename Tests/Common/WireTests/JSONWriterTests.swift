import Foundation
import Testing
import Wire

@Suite struct `The JSON writer` {
  @Test func `puts commas between members and elements, and nowhere else`() {
    var json = JSONWriter()
    json.object { json in
      json.member("a", "x")
      json.key("b")
      json.array {
        $0.integer(1)
        $0.object { _ in }
        $0.array { _ in }
        $0.raw("{\"c\":2}")
      }
      json.member("d", nil as Int?)
      json.member("e", true)
    }
    #expect(json.text == #"{"a":"x","b":[1,{},[],{"c":2}],"d":null,"e":true}"#)
  }

  @Test func `any text that it writes is read back by Foundation`() throws {
    let text = (0...0x2FF).compactMap { Unicode.Scalar($0) }.map(String.init).joined() + "👩‍🚒\u{2028}\"\\/"
    var json = JSONWriter()
    json.array { $0.string(text) }
    #expect(try JSONDecoder().decode([String].self, from: Data(json.bytes)) == [text])
  }

  @Test(arguments: [
    ("\"", "\\\""), ("\\", "\\\\"), ("\u{1F}", "\\u001f"), ("\0", "\\u0000"), (" ", " "), ("\u{7F}", "\u{7F}"),
    ("é", "é"),
  ])
  func `escapes a character at every place of a string, and no other`(character: String, written: String) {
    for length in 0...17 {
      for place in 0...length {
        let (before, after) = (String(repeating: "a", count: place), String(repeating: "!", count: length - place))
        var json = JSONWriter()
        json.string(before + character + after)
        #expect(json.text == "\"" + before + written + after + "\"")
      }
    }
  }

  @Test func `numbers keep their value, and NaN is null`() throws {
    let values = [0, -0.0, 52.52, 1e-300, 1e300, .leastNonzeroMagnitude, 0.1 + 0.2]
    var json = JSONWriter()
    json.array { json in for value in values { json.number(value) } }
    #expect(try JSONDecoder().decode([Double].self, from: Data(json.bytes)) == values)
    var odd = JSONWriter()
    odd.array { $0.number(.nan) }
    #expect(odd.text == "[null]")
  }
}

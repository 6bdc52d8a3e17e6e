import Foundation
import TestSupport
import Testing
import Wire

@Suite struct `The JSON reader` {
  @Test(arguments: [
    "0", "-0", "12", "1.5", "1e5", "1E+5", "1.25e-3", "true", "false", "null", #""""#, #""a\n\u00e9\ud83d\ude00""#,
    "[]",
    "{}", " [ 1 , [ ] , { } ] ", "\t\r\n{ \"a\" : [ { \"b\" : null } ] }\n", #"{"":0}"#, #"["\"","\\","\/"]"#,
  ])
  func `accepts what RFC 8259 allows`(text: String) throws {
    _ = try JSONDocument(Array(text.utf8))
    _ = try JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)
  }

  @Test(arguments: [
    "", " ", "01", "-", "+1", ".5", "1.", "1e", "1e+", "0x1", "NaN", "Infinity", "tru", "TRUE", "nul", "'a'", "\"",
    #""\"#,
    #""\x""#, #""\u12""#, #""\ud800""#, #""\ud800\u0041""#, #""\udc00""#, "\"\n\"", "\"\u{0}\"", "[", "]", "[1", "[1,",
    "[1,]",
    "[,1]", "[1 2]", "[1]]", "{", "}", #"{"a"}"#, #"{"a":}"#, #"{"a":1,}"#, #"{a:1}"#, #"{1:1}"#, #"{"a":1 "b":2}"#,
    #"{"a":1]"#, #"["a":1]"#, "[1}", "1 2", "{}x", "// c\n1", "\u{FEFF}1", "[1\u{0}]", "\u{A0}1",
  ])
  func `refuses everything else`(text: String) {
    #expect(throws: JSONError.self) { try JSONDocument(Array(text.utf8)) }
  }

  @Test func `refuses what is not UTF-8`() {
    for bytes: [UInt8] in [
      [0x22, 0xFF, 0x22], [0x22, 0xC0, 0x80, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22], [0xEF, 0xBB],
    ] {
      #expect(throws: JSONError.self) { try JSONDocument(bytes) }
    }
  }

  @Test func `a deep text is refused, however deep, without using the stack`() throws {
    for depth in [33, 10_000, 1_000_000] {
      for (open, close) in [("[", "]"), (#"{"a":"#, "}")] {
        let text = String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth)
        let error = #expect(throws: JSONError.self) { try JSONDocument(Array(text.utf8)) }
        #expect(error?.code == .tooDeep)
      }
      #expect(throws: JSONError.self) { try JSONDocument([UInt8](repeating: UInt8(ascii: "["), count: depth)) }
    }
    let deepest = String(repeating: "[", count: 32) + String(repeating: "]", count: 32)
    _ = try JSONDocument(Array(deepest.utf8))
  }

  @Test func `every text cut short is refused`() {
    let text = Array(#"{"a":[1.5e3,"x\u00e9\ud83d\ude00",true,null,{"b":{}}]}"#.utf8)
    for count in 0..<text.count {
      #expect(throws: JSONError.self) { try JSONDocument(Array(text.prefix(count))) }
    }
  }

  @Test func `what the writer wrote is read back`() throws {
    let text = (0...0x2FF).compactMap { Unicode.Scalar($0) }.map(String.init).joined() + "👩‍🚒\u{2028}\"\\/"
    let numbers = [0, -0.0, 52.52, 1e-300, 1e300, .leastNonzeroMagnitude, 0.1 + 0.2]
    var json = JSONWriter()
    json.object { json in
      json.member("text", text)
      json.key("numbers")
      json.array { for number in numbers { $0.number(number) } }
      json.member("integer", Int.min)
      json.member("no", false)
      json.member("nothing", nil as String?)
    }
    let root = try JSONDocument(json.bytes).root
    #expect(try root.string("text") == text)
    #expect(try root.array("numbers").map { try $0.double() } == numbers)
    #expect(try root.integer("integer") == .min)
    #expect(try root.boolean("no") == false)
    #expect(try root.optionalString("nothing") == nil)
    #expect(try root.optionalString("missing") == nil)
  }

  @Test func `it agrees with Foundation on mutated texts`() throws {
    let seed = Array(#"{"a":[1.5e3,-0,"x\u00e9\n",true,null,{"b":{"c":[]}}],"d":"é"}"#.utf8)
    let alphabet = Array(#"{}[]",:\u0e+-.tfn 19aé"#.utf8)
    var random = SeededRandom(seed: 7)
    for _ in 0..<20_000 {
      var bytes = seed
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        let position = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: bytes[position] = alphabet.randomElement(using: &random) ?? 0
        case 1: bytes.remove(at: position)
        default: bytes.insert(alphabet.randomElement(using: &random) ?? 0, at: position)
        }
      }
      // Foundation accepts a comma before a closing bracket; RFC 8259 does not.
      let text = String(decoding: bytes, as: UTF8.self)
      if text.replacing(" ", with: "").contains(/,[}\]]/) { continue }
      let ours = (try? JSONDocument(bytes)) != nil
      let theirs = (try? JSONDecoder().decode(Anything.self, from: Data(bytes))) != nil
      #expect(ours == theirs, "\(text)")
    }
  }

  /// Text is read in words of eight bytes: what ends it may stand anywhere in one.
  @Test func `text ends at a quote, and has its escapes and no control characters, at every place`() throws {
    for length in 0..<20 {
      for place in 0...length {
        let (before, after) = (String(repeating: "é", count: place), String(repeating: "~", count: length - place))
        let root = try JSONDocument(Array(#"["\#(before)\n\#(after)", "\#(before)", "\#(after)"]"#.utf8)).root
        #expect(try root.array().map { try $0.string() } == ["\(before)\n\(after)", before, after])
        for byte: UInt8 in [0x00, 0x1F] {
          let bytes = Array("\"\(before)".utf8) + [byte] + Array("\(after)\"".utf8)
          #expect(throws: JSONError.self) { try JSONDocument(bytes) }
        }
      }
    }
  }

  @Test func `a name may be escaped, and the first of two equal names counts`() throws {
    let root = try JSONDocument(Array(#"{"\u0061":1,"a":2,"b":null,"ab":3}"#.utf8)).root
    #expect(try root.integer("a") == 1)
    #expect(try root.optionalInteger("b") == nil)
    #expect(try root.integer("ab") == 3)
    #expect(try root.optionalInteger("abc") == nil)
  }

  @Test func `a whole number may have a fraction of zeros or an exponent`() throws {
    let root = try JSONDocument(Array(#"{"a":70.0,"b":7e1,"c":-0.0,"d":700.00e-1,"e":9007199254740993}"#.utf8)).root
    for name: StaticString in ["a", "b", "d"] { #expect(try root.integer(name) == 70) }
    #expect(try root.integer("c") == 0)
    // Beyond what a Double holds.
    #expect(try root.integer("e") == 9_007_199_254_740_993)
  }

  @Test(arguments: [
    #"{"a":"1"}"#, #"{"a":1.5}"#, #"{"a":1e-2}"#, #"{"a":1e300}"#, #"{"a":9007199254740993.0}"#,
    #"{"a":9223372036854775808}"#, #"{"a":true}"#,
    #"{"a":[]}"#,
    #"{"a":null}"#, "{}",
    "[]", "7",
  ])
  func `another type is an error that names the member`(text: String) throws {
    let root = try JSONDocument(Array(text.utf8)).root
    let error = #expect(throws: JSONError.self) { try root.integer("a") }
    #expect(error?.code == .wrongShape)
    #expect(!text.hasPrefix("{") || error?.message.contains("member a") == true)
  }
}

/// Decodes any JSON value, to find out what Foundation accepts.
private struct Anything: Decodable {
  init(from decoder: any Decoder) throws {
    if var array = try? decoder.unkeyedContainer() {
      while !array.isAtEnd { _ = try array.decode(Anything.self) }
    } else if let object = try? decoder.container(keyedBy: Key.self) {
      for key in object.allKeys { _ = try object.decode(Anything.self, forKey: key) }
    } else {
      let value = try decoder.singleValueContainer()
      if value.decodeNil() { return }
      if (try? value.decode(Bool.self)) == nil, (try? value.decode(Double.self)) == nil {
        _ = try value.decode(String.self)
      }
    }
  }

  struct Key: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }
}

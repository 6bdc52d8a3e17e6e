import Arguments
import Model
import Testing

@testable import CommandLineTool

@Suite struct `Values on the command line` {
  @Test(arguments: [
    ("52.52,13.405", 52.52, 13.405), ("-33.8, 151.2", -33.8, 151.2), ("+90,-180", 90, -180), ("0,0", 0, 0),
  ]) func `a location is two numbers in degrees`(text: String, latitude: Double, longitude: Double) throws {
    let location = try AlertInput.location(text)
    #expect(location.latitude == latitude)
    #expect(location.longitude == longitude)
  }

  @Test(arguments: [
    "91,0", "-90.1,0", "0,181", "52.5", "52.5,13.4,1", "nan,0", "inf,0", "0x10,0", "1e1,2", "north,east", "", ",",
  ]) func `anything else is refused with the accepted form`(text: String) {
    let error = #expect(throws: InvalidInput.self) { try AlertInput.location(text) }
    #expect(error?.code == .location)
    #expect(error?.message.contains("52.5200,13.4050") == true)
  }

  @Test(arguments: ["0", "1001", "-1", "ten", "1.5", "", "99999999999999999999"])
  func `a limit is a whole number from 1 to 1000`(text: String) {
    let failure = #expect(throws: Failure.self) { try AlertInput.integer(text, "--limit", in: 1...1000) }
    #expect(failure?.status == .badData)
  }

  @Test func `the nearest name is suggested, and no distant one`() {
    #expect(closest(to: "endpiont", among: ["endpoint", "region"]) == "endpoint")
    #expect(closest(to: "stat", among: ["status", "history"]) == "status")
    #expect(closest(to: "x", among: ["region"]) == nil)
    #expect(editDistance("kitten", "sitting") == 3)
    #expect(editDistance("ab", "ba") == 1)
    #expect(editDistance("", "abc") == 3)
  }

  @Test func `what to go on with names the same home`() {
    func next(_ home: String?) -> String? {
      AccountTexts.codeNeeded("+12025550123", minutes: 9, home: home).split(separator: "\n").last.map { String($0) }
    }
    #expect(next(nil) == "  lifesignal sign-in +12025550123 --code CODE")
    #expect(next("/data/x_1.d") == "  lifesignal --home /data/x_1.d sign-in +12025550123 --code CODE")
    #expect(next("/my data's") == "  lifesignal --home '/my data'\\''s' sign-in +12025550123 --code CODE")
  }

  @Test func `text from others cannot control the terminal`() {
    #expect("a\u{1B}[2Jb\nc\u{202E}d".printable == "a [2Jb c d")
    #expect("Zoë 🧗".printable == "Zoë 🧗")
  }

  @Test func `text from others cannot control the terminal in JSON either`() {
    func printed(_ json: String) -> String { String(decoding: Array(json.utf8).printableJSON, as: UTF8.self) }
    #expect(printed("{\"a\":\"b\u{9B}c\u{202E}d\u{7F}\"}") == #"{"a":"b\u009bc\u202ed\u007f"}"#)
    #expect(printed("{\"a\":\"Zoë 🧗 „x“\"}") == "{\"a\":\"Zoë 🧗 „x“\"}")
  }
}

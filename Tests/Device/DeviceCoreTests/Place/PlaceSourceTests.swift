import ChildPrograms
import ProgramTesting
import Testing

@testable import DeviceCore

@Suite(.blocking, .timeLimit(.minutes(5))) struct `A gpsd` {
  @Test(
    arguments: [
      ("localhost:2947", "localhost", 2947), ("gps.example", "gps.example", 2947), ("127.0.0.1:1", "127.0.0.1", 1),
      ("[::1]:80", "::1", 80), ("[::1]", "::1", 2947),
    ] as [(String, String, UInt16)])
  func `is named by host and port`(text: String, host: String, port: UInt16) throws {
    #expect(try PlaceSource(text) == PlaceSource(host: host, port: port))
  }

  @Test(arguments: ["", ":1", "host:", "host:0", "host:65536", "host:x", "a b:1", "::1", "[::1", "[::1]x", "ö:1"])
  func `is nothing else`(text: String) {
    #expect(throws: (any Error).self) { try PlaceSource(text) }
  }

  @Test(arguments: [("localhost", true), ("127.0.0.1", true), ("::1", true), ("gps.example", false), ("1.2", false)])
  func `on this machine or with a numeric address needs no lookup`(host: String, isKnown: Bool) {
    #expect(PlaceSource(host: host, port: 1).isAddressKnown == isKnown)
  }

  @Test(arguments: ["127.0.0.1", "localhost"]) func `that answers gives a place`(host: String) throws {
    let server = try FakeGPSD([#"{"class":"TPV","mode":3,"lat":46.5,"lon":7.9,"eph":4}"# + "\n"])
    let place = try #require(PlaceSource(host: host, port: server.port).place(withinMilliseconds: 10_000))
    #expect(place.location.latitude == 46.5 && place.accuracyMeters == 4)
    #expect(server.question == "?WATCH={\"enable\":true,\"json\":true};\n")
  }

  /// - Parameter between: how many other lines are between the two: more than are read at once, or none.
  @Test(arguments: [0, 10_000]) func `that gives the accuracy with a later report is waited for`(between: Int) throws {
    let rough = #"{"class":"TPV","mode":2,"lat":46.5,"lon":7.9}"# + "\n"
    let fine = #"{"class":"TPV","mode":3,"lat":46.6,"lon":7.9,"eph":4}"# + "\n"
    let server = try FakeGPSD([rough + String(repeating: "{}\n", count: between) + fine])
    let place = try #require(PlaceSource(host: "127.0.0.1", port: server.port).place(withinMilliseconds: 10_000))
    #expect(place.location.latitude == 46.6 && place.accuracyMeters == 4)
  }

  @Test func `that never knows the accuracy gives its newest place`() throws {
    let lines = [46.5, 46.6].map { "{\"class\":\"TPV\",\"mode\":2,\"lat\":\($0),\"lon\":7.9}\n" }
    for closes in [true, false] {
      let server = try FakeGPSD(lines, closes: closes)
      let place = try #require(PlaceSource(host: "127.0.0.1", port: server.port).place(withinMilliseconds: 10_000))
      #expect(place.location.latitude == 46.6 && place.accuracyMeters == nil)
    }
  }

  @Test func `that is silent, hangs up or is not there gives none, in time`() throws {
    let silent = try FakeGPSD([], closes: false)
    #expect(PlaceSource(host: "127.0.0.1", port: silent.port).place(withinMilliseconds: 50) == nil)
    let closing = try FakeGPSD(["{}\n"], closes: true)
    #expect(PlaceSource(host: "127.0.0.1", port: closing.port).place(withinMilliseconds: 10_000) == nil)
    #expect(PlaceSource(host: "127.0.0.1", port: 1).place(withinMilliseconds: 10_000) == nil)
    #expect(PlaceSource(host: "no.such.host.invalid", port: 1).place(withinMilliseconds: 0) == nil)
  }

  @Test func `that never ends a line is given up at its limit`() throws {
    let endless = try FakeGPSD(Array(repeating: String(repeating: "{", count: 65_536), count: 64), closes: false)
    #expect(PlaceSource(host: "127.0.0.1", port: endless.port).place(withinMilliseconds: 10_000) == nil)
  }
}

import Model
import Testing

@testable import ServerCore

@Suite struct `An operator’s command` {
  @Test(arguments: ["sms:+12025550188", "tel:+12025550188", "mailto:ana@example.org", "http://127.0.0.1:1/hook"])
  func `leaves it to the servers over which channels they can send`(url: String) throws {
    let channel = try Channel(url)
    var configuration = ServerConfiguration(publicURL: "")
    #expect(configuration.reasonAgainst(channel) != nil)
    configuration.leavesChannelsToServers = true
    #expect(configuration.reasonAgainst(channel) == nil)
    #expect(configuration.reasonAgainst(nil) != nil)
  }
}

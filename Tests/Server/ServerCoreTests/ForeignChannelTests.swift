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

@Suite struct `A channel to which nothing can be sent` {
  private let server: AlertsServer
  private let device: AlertsDevice

  init() throws {
    server = try AlertsServer()
    device = try server.signIn("+12025550123")
  }

  @Test(arguments: ["https://responder.example:99999/hook", "https://responder.example%00x/hook"])
  func `fails at once where an older server kept it`(url: String) throws {
    let details = try ContactDetails(
      name: "Ana", phone: "+12025550199", isResponder: true, isDependent: false,
      channels: [Channel(foreign: url), Channel("https://a.example/hook")])
    var writes = WriteSet(account: device.account)
    writes.contacts = [Contact(id: AlertsDevice.identifier(), details: details)]
    let kept = writes
    try server.store.write { try $0.apply(kept) }
    let alert = try device.raise()
    #expect(try server.claim().map(\.url) == ["https://a.example/hook"])
    let failed = try device.receipts(alert).filter { $0.state == .failed }
    #expect(failed.map(\.reason) == ["nothing can be sent to this address"])
  }

  @Test func `does not keep a contact from being told over another one`() throws {
    let put = try ana(["https://responder.example:99999/hook", "https://a.example/hook"])
    #expect(try device.sync([put]).statuses == [.applied])
    let alert = try device.raise()
    #expect(try server.claim().map(\.url) == ["https://a.example/hook"])
    let failed = try device.receipts(alert).filter { $0.state == .failed }
    #expect(failed.map(\.reason) == ["nothing can be sent to this address"])
  }

  @Test func `is refused where the contact has no other, unless they had it before`() throws {
    let url = "https://responder.example:99999/hook"
    #expect(try device.sync([try ana([url])]).codes == ["invalid_channel"])
    let id: ContactID = AlertsDevice.identifier()
    try device.sync([try ana([url, "https://a.example/hook"], id)])
    #expect(try device.sync([try ana([url], id)]).statuses == [.applied])
    #expect(try device.sync([try ana([url, "ntfy://a.example/"], id)]).codes == ["invalid_channel"])
  }

  private func ana(_ urls: [String], _ id: ContactID = AlertsDevice.identifier()) throws -> Mutation {
    let details = try ContactDetails(
      name: "Ana", phone: "+12025550199", isResponder: true, isDependent: false,
      channels: urls.map { try Channel(foreign: $0) })
    return device.mutation(EntityID(id), server.now, .putContact(details))
  }
}

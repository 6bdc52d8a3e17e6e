import LifeSignalFeatures
import ProgramTesting
import Testing

@Suite(.timeLimit(.minutes(5))) struct `The live contacts` {
  @Test func `they are added, changed and removed without a server`() async throws {
    let device = try TestDevice()
    let client = ContactClient.live(try LifeSignalClient.open(home: device.home))
    let details = try ContactDetails(
      name: "Ana", phone: "+12025550143", isResponder: true, isDependent: false, channels: [])
    let added = try await client.add(details)
    #expect(try await client.list() == [SavedContact(contact: added, isPending: true)])
    let other = try ContactDetails(
      name: "Ana B.", phone: "+12025550143", isResponder: false, isDependent: true, channels: [])
    #expect(try await client.update(added.id, other).details == other)
    #expect(try await client.remove(added.id).id == added.id)
    #expect(try await client.list().isEmpty)
    let error = await #expect(throws: LifeSignalError.self) { try await client.remove(added.id) }
    #expect(error?.code == .notFound)
  }
}

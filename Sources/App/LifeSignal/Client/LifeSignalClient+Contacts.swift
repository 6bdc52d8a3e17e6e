public import AppModel
import DeviceCore
import Dispatch
import LocalStore
public import Model

extension LifeSignalClient {
  /// All contacts, by name.
  nonisolated(nonsending) public func contacts() async throws(LifeSignalError) -> [SavedContact] {
    try await withStore { store throws(LocalStoreError) in try store.contacts().map(SavedContact.init) }
  }

  /// Adds a contact: saves it on this device, and sends it with the next sync or alert. Throws `invalid` if nothing of its name can be
  /// seen.
  public func addContact(_ details: ContactDetails) async throws(LifeSignalError) -> Contact {
    try Self.check(details)
    return try await withStore { store throws(LocalStoreError) in
      try store.putContact(nil, details, at: DeviceClock.now())
    }
  }

  private static func check(_ details: ContactDetails) throws(LifeSignalError) {
    do throws(InvalidInput) { try ContactDetails.requireVisible(details.name) } catch {
      throw LifeSignalError(.invalid, error.message)
    }
  }

  /// Replaces a contact's details. Throws `notFound`, and `invalid` as `addContact` does.
  public func updateContact(_ id: Contact.ID, _ details: ContactDetails) async throws(LifeSignalError) -> Contact {
    try Self.check(details)
    return try await withStore { store throws(LocalStoreError) in
      try store.putContact(id, details, at: DeviceClock.now())
    }
  }

  /// Removes a contact and returns it. Throws `notFound`.
  public func removeContact(_ id: Contact.ID) async throws(LifeSignalError) -> Contact {
    try await withStore { store throws(LocalStoreError) in
      try store.removeContact(id, at: DeviceClock.now())
    }
  }

  /// Starts a test of how a contact is reached, or finds the one that is running: a drill that nobody else is told of, and that asks them
  /// to press "I got this". The worker or `sync()` sends it. It ends by itself, after 30 minutes at the latest. When they have pressed,
  /// `contacts()` shows the channel as tested.
  ///
  /// Throws `notFound`, and `invalid` if the contact cannot be tested now: an alert or a drill is active, they are no responder, they
  /// have no channel that the server can use, or the server was not reached yet.
  public func testContact(_ id: Contact.ID) async throws(LifeSignalError) {
    let moment = DeviceClock.now()
    let offset = DeviceClock.utcOffsetMinutes(at: moment.wall)
    let start = try await withStore { store throws(LocalStoreError) in
      try store.testContact(id, utcOffsetMinutes: offset, at: moment)
    }
    if case .refused(let obstacle) = start { throw LifeSignalError(.invalid, obstacle.reason) }
  }

  /// `text` as E.164, as a person in `region` (ISO 3166-1 alpha-2) would dial it; without a region it must begin with `+`.
  /// Throws `invalid` if no such number can exist.
  public func normalizedPhoneNumber(_ text: String, region: String?) async throws(LifeSignalError) -> String {
    try await run(on: DispatchQueue.global()) {
      do throws(InvalidInput) {
        return .success(try PhoneEntry.normalized(text, region: region))
      } catch {
        return .failure(LifeSignalError(.invalid, error.message))
      }
    }
  }
}

public import AppModel
public import Dependencies
public import Model

/// The person's contacts: who responds to them, and to whom they respond.
///
/// Changes are saved on this device and sent with the next exchange: all endpoints work offline.
public struct ContactClient: Sendable {
  /// All contacts, by name.
  public var list: @Sendable () async throws -> [SavedContact]

  /// Adds a contact and returns it.
  public var add: @Sendable (_ details: ContactDetails) async throws -> Contact

  /// Replaces the details of the contact with this id. Throws if there is none.
  public var update: @Sendable (_ id: ContactID, _ details: ContactDetails) async throws -> Contact

  /// Removes the contact with this id and returns it. Throws if there is none.
  public var remove: @Sendable (_ id: ContactID) async throws -> Contact

  /// Starts a test of how the contact with this id is reached: a drill that nobody else is told of. It ends by itself. Throws if it cannot
  /// be started now, with the reason for a person.
  public var test: @Sendable (_ id: ContactID) async throws -> Void

  /// A client of these endpoints.
  public init(
    list: @escaping @Sendable () async throws -> [SavedContact],
    add: @escaping @Sendable (_ details: ContactDetails) async throws -> Contact,
    update: @escaping @Sendable (_ id: ContactID, _ details: ContactDetails) async throws -> Contact,
    remove: @escaping @Sendable (_ id: ContactID) async throws -> Contact,
    test: @escaping @Sendable (_ id: ContactID) async throws -> Void
  ) {
    self.list = list
    self.add = add
    self.update = update
    self.remove = remove
    self.test = test
  }
}

extension ContactClient: TestDependencyKey {
  /// Every endpoint fails the test with its name.
  public static let testValue = Self(
    list: { try unimplemented("ContactClient.list") },
    add: { _ in try unimplemented("ContactClient.add") },
    update: { _, _ in try unimplemented("ContactClient.update") },
    remove: { _ in try unimplemented("ContactClient.remove") },
    test: { _ in try unimplemented("ContactClient.test") }
  )

  /// A client for a test, with the endpoints that the test expects to be called; any other fails it by name.
  public static func mock(
    list: @escaping @Sendable () async throws -> [SavedContact] = testValue.list,
    add: @escaping @Sendable (_ details: ContactDetails) async throws -> Contact = testValue.add,
    update: @escaping @Sendable (_ id: ContactID, _ details: ContactDetails) async throws -> Contact =
      testValue.update,
    remove: @escaping @Sendable (_ id: ContactID) async throws -> Contact = testValue.remove,
    test: @escaping @Sendable (_ id: ContactID) async throws -> Void = testValue.test
  ) -> Self {
    Self(list: list, add: add, update: update, remove: remove, test: test)
  }
}

extension DependencyValues {
  /// The person's contacts.
  public var contactClient: ContactClient {
    get { self[ContactClient.self] }
    set { self[ContactClient.self] = newValue }
  }
}

/// The id of cancellable effects: any hashable value, or a type.
struct EffectID: Hashable, @unchecked Sendable {
  // No lock is needed: the value never changes, and every initializer takes a `Sendable` one.
  private let value: AnyHashable

  init(_ id: some Hashable & Sendable) { value = AnyHashable(id) }

  init(_ type: Any.Type) { value = AnyHashable(ObjectIdentifier(type)) }
}

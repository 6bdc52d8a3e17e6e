/// Names effects that can be cancelled: any hashable value, or a type.
struct EffectID: Hashable, @unchecked Sendable {
  // No lock is needed: it never changes, and what it was made of can be sent.
  private let value: AnyHashable

  init(_ id: some Hashable & Sendable) { value = AnyHashable(id) }

  init(_ type: Any.Type) { value = AnyHashable(ObjectIdentifier(type)) }
}

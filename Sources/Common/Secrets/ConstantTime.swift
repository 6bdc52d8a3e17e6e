import CSodium

/// Comparison whose duration does not reveal where two secrets differ.
package enum ConstantTime {
  /// Whether both have the same bytes. The lengths are not secret.
  package static func equal(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    Sodium.ready
    return left.count == right.count && sodium_memcmp(left, right, left.count) == 0
  }
}

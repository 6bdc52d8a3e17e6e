import CSodium

/// Comparison whose time tells nothing of where two secrets differ.
package enum ConstantTime {
  /// Whether both are the same bytes. The lengths are not secret.
  package static func equal(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    Sodium.ready
    return left.count == right.count && sodium_memcmp(left, right, left.count) == 0
  }
}

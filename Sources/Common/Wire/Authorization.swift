/// The header `Authorization` of a device's requests.
package enum Authorization {
  /// What a damaged token is replaced by: a server refuses it, and the device goes on as with any token that is not known there.
  static let unusable = "damaged"

  /// - Parameter token: as it is stored. Where damage left in it what no header can carry, the request goes out all the same.
  package static func bearer(_ token: String) -> String {
    let isUsable = !token.isEmpty && token.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    return "Bearer \(isUsable ? token : unusable)"
  }
}

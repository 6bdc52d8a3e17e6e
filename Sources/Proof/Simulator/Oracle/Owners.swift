import Model

/// Who owns each alert and contact, and which accounts belong to one person.
///
/// A server restored to before it knew a number creates a second account for it. Both accounts are one person's.
struct Owners {
  enum Owner: Hashable {
    case account(AccountID)
    /// Saved before any sign-in on this device: it will belong to the account that signs in there.
    case device(Int)
  }

  private var phones: [AccountID: String] = [:]
  private var owners: [EntityID: Owner] = [:]
  private var ownerless: [Int: [EntityID]] = [:]

  mutating func note(_ phone: String, of account: AccountID) { phones[account] = phone }

  func areOnePerson(_ left: AccountID, _ right: AccountID) -> Bool {
    if left == right { return true }
    guard let phone = phones[left] else { return false }
    return phone == phones[right]
  }

  func account(of entity: EntityID) -> AccountID? {
    if case .account(let account)? = owners[entity] { account } else { nil }
  }

  /// Saved on the device while this account was signed in there. An existing owner stays.
  mutating func saved(_ entity: EntityID, by account: AccountID?, on device: Int) {
    guard owners[entity] == nil else { return }
    if let account {
      owners[entity] = .account(account)
    } else {
      owners[entity] = .device(device)
      ownerless[device, default: []].append(entity)
    }
  }

  /// The account takes over what had no owner on the device.
  mutating func signedIn(_ account: AccountID, on device: Int) {
    for entity in ownerless.removeValue(forKey: device) ?? [] { owners[entity] = .account(account) }
  }

  /// The server stored it for this account. Returns its owner if that is another person.
  mutating func applied(_ entity: EntityID, by account: AccountID) -> AccountID? {
    guard case .account(let owner)? = owners[entity] else {
      owners[entity] = .account(account)
      return nil
    }
    return areOnePerson(owner, account) ? nil : owner
  }
}

import Model
import Secrets
import Wire

extension ServerKeys {
  /// The key that signs the webhooks of one contact: derived, so that it need not be stored.
  func webhookKey(contact: ContactID, account: AccountID) -> [UInt8] {
    KeyedHash.of(Array("\(account)/\(contact)".utf8), key: secret.derived(for: "webhook"))
  }

  /// A contact as its owner sees it, with the secret as Standard Webhooks writes it.
  func record(
    of details: ContactDetails, _ tested: [TestedChannel], _ failed: [FailedChannel], id: ContactID,
    account: AccountID
  ) -> ContactRecord {
    let key = webhookKey(contact: id, account: account)
    return ContactRecord(
      details: details, webhookSecret: "whsec_" + Base64.encode(key), tested: tested, failed: failed)
  }
}

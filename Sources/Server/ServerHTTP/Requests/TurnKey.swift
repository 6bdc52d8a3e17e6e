import Model
import ServerCore
import SystemKit
import Wire

/// Whose requests share one turn.
enum TurnKey: Hashable, Sendable {
  case account(AccountID)
  /// A token whose account is not known yet, or that of a page.
  case token(Int)
  case address(String)
  /// Answers of responders' channels.
  case deliveries
  case housekeeping
}

/// Remembers the account of each token, so that all sessions of an account share its turn.
final class TurnKeys: Sendable {
  private static let limit = 20_000
  private let accounts = Lock<[Int: AccountID]>([:])

  func key(of request: ServerRequest) -> TurnKey {
    if let token = request.pageToken { return .token(token.hashValue) }
    guard let authorization = request.authorization else { return .address(request.remoteAddress) }
    let token = authorization.hashValue
    return accounts.withLock { $0[token] }.map(TurnKey.account) ?? .token(token)
  }

  func note(_ task: ServerTask) {
    guard let account = task.account, let authorization = task.request.authorization else { return }
    accounts.withLock { accounts in
      if accounts.count >= Self.limit { accounts = [:] }
      accounts[authorization.hashValue] = account
    }
  }
}

extension ServerRequest {
  /// In the path of a page.
  fileprivate var pageToken: Substring? {
    guard path.hasPrefix(Route.page + "/") else { return nil }
    return path.dropFirst(Route.page.count + 1).prefix { $0 != "/" }
  }
}

/// How many attempts may run at once, so that hosts that hang, and the accounts that named them, do not delay others.
///
/// Less urgent messages, and those to hosts that may hang, leave room: the first message of an account's call for help starts at
/// once.
package struct InFlightLimits: Sendable, Hashable {
  /// To an unknown host. The limit of a host grows with its answers and shrinks with its failures (`HostHealth`).
  package var perHost: Int
  /// Of one account, to failing or unknown hosts.
  package var perAccount: Int
  /// In all.
  package var all = 128
  /// The rate of retries to failing hosts. With thousands of dead hosts, the accounts that named them wait for each other, and
  /// nobody else does.
  package var retriesPerSecond = 200

  package init(perHost: Int, perAccount: Int) {
    self.perHost = perHost
    self.perAccount = perAccount
  }

  /// To one host, at most.
  var mostPerHost: Int { 16 * perHost }
  /// Of one account, to failing hosts: the most for what failed at once, or not at all.
  func failingPerAccount(after failures: DeliveryTurn.Failures) -> Int {
    switch failures {
    case .none, .one: max(1, perAccount * 3 / 4)
    case .oneThatHung: max(1, perAccount * 5 / 8)
    case .several: max(1, perAccount / 2)
    }
  }
  /// Of one account, to any hosts.
  var mostPerAccount: Int { 2 * perAccount }
  /// Of one account, of drills.
  var drillsPerAccount: Int { max(1, perAccount / 2) }

  /// In all, of drills.
  var drills: Int { all * 3 / 8 }
  /// In all, of drills and retries.
  var repeats: Int { all * 3 / 4 }
  /// In all, to failing hosts: the most for what failed at once, or not at all, as its host may have had a moment's trouble.
  func failing(after failures: DeliveryTurn.Failures) -> Int {
    switch failures {
    case .none, .one: all * 3 / 8
    case .oneThatHung: all * 5 / 16
    case .several: all / 4
    }
  }
  /// In all, to failing or unknown hosts.
  var unproven: Int { all * 5 / 8 }
  /// In all, to failing or unknown hosts, for first calls: calls for help of accounts without a running attempt.
  var firstCallsToUnproven: Int { all * 13 / 16 }
  /// In all, except for first calls.
  var ordinary: Int { all * 7 / 8 }
}

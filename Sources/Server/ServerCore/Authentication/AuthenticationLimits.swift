/// The times and limits of sign-in. The defaults suit a server for a few thousand people.
package struct AuthenticationLimits: Sendable, Hashable {
  package var codeLifetimeMilliseconds: Int64 = 10 * 60_000
  /// Guesses at one code, right or wrong.
  package var codeTries = 5
  /// From one code to the next for the same number.
  package var resendDelayMilliseconds: Int64 = 60_000

  // The number of codes in any hour or day, beyond which they are sent one at a time (`CodeLimits`).

  /// Beyond it none is sent but for work.
  package var codesPerNumberAndHour = 5
  /// Beyond it one an hour is sent.
  package var codesPerNumberAndDay = 10
  /// Beyond both, for devices that show a proof of work, so that somebody with many networks cannot keep a person out. With five tries each
  /// all three bound the guesses at one person's account: 530 of a million a day, while their telephone gets four codes an hour.
  package var codesForWorkPerNumberAndHour = 3
  /// Of one number and one network together, so that nobody else's requests use up all codes of a number.
  package var codesPerNumberNetworkAndHour = 4
  /// Beyond it one every four hours is sent.
  package var codesPerNumberNetworkAndDay = 8
  /// An address is one of IPv4, or a /64 prefix of IPv6.
  package var codesPerAddressAndHour = 20
  /// A network is a /24 prefix of IPv4, or a /48 prefix of IPv6.
  package var codesPerNetworkAndHour = 60
  package var codesPerCountryAndHour = 300
  /// Other limits for single countries, by region name (`US`; `001` for numbers of no country). 0: no codes go there.
  package var codesPerHourByCountry: [String: Int] = [:]
  package var codesInTotalPerHour = 1000
  /// Beyond the limits of a country and of all, for devices that show a proof of work; to all countries together. 0: no work is asked for.
  package var codesForWorkPerHour = 3000
  /// The least work before a code, about a second of an old phone: the zero bits of each nonce (`CodeWork`).
  package var codeWorkZeroBits = 16

  package var accessTokenLifetimeMilliseconds: Int64 = 3_600_000
  /// Restarts with each refresh.
  package var refreshTokenLifetimeMilliseconds: Int64 = 60 * 86_400_000
  /// How long after its replacement a second use of a refresh token may be a delayed copy of the first: it is refused
  /// but revokes nothing.
  package var delayedCopyMilliseconds: Int64 = 30_000
  /// How long a replaced refresh token is kept, so that its reuse is noticed.
  package var replacedTokenRetentionMilliseconds: Int64 = 7 * 86_400_000

  package init() {}
}

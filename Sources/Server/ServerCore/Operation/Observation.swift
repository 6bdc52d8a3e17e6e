package import Model

/// Something that an operator's figures count, or their log tells, after the commit. Names nobody.
package enum Observation: Sendable, Hashable {
  case raised(AlertID, isDrill: Bool)
  case ended(AlertID)
  /// A message went out, so long after it was queued.
  case sent(Channel.Kind, milliseconds: Int64)
  /// An attempt did not succeed, and another one follows.
  case retried(Channel.Kind)
  /// A message is given up.
  case failed(Channel.Kind)
  /// Somebody comes, where nobody did, so long after the server got the alert.
  case acknowledged(AlertID, isDrill: Bool, milliseconds: Int64)
  /// A code was asked for, and not sent, because the number is blocked.
  case codeWithheld
  /// Work was asked for before a code, or shown.
  case codeWork(CodeFigures.Work)
}

extension StoredDelivery {
  var channelKind: Channel.Kind { target.channel?.kind ?? .noChannel }
}

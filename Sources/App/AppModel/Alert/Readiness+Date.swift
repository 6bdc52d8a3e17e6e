public import FoundationEssentials
public import Model

extension Readiness {
  /// When a responder last answered a drill through a channel that they still have, by the server's clock; nil: never.
  public var lastDrill: Date? { lastDrillAt?.date }

  /// As in `READY: 3 responders, tested 2 days ago` and `NOT READY: nobody would be told (no responder has a tested channel)`, where it is
  /// `now`.
  public func line(now: Date) -> String { line(now: Timestamp(now)) }
}

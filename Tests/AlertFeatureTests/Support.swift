import AlertFeature
import Clients
import Foundation

let start = Date(timeIntervalSince1970: 1_000_000)
let end = start.addingTimeInterval(600)

/// A failure with words for a person.
struct DiskFull: LocalizedError, Equatable {
  var errorDescription: String? { "The alert is NOT saved: the disk is full." }
}

extension AlertSnapshot {
  /// Of an alert that this device knows and the server does not.
  static func active(_ startTime: Date = start, acceptedAt: Date? = nil) -> Self {
    Self(
      isActive: true, startTime: startTime, delivery: AlertDelivery(savedAt: startTime, acceptedAt: acceptedAt))
  }

  static func ended(_ startTime: Date = start, at endTime: Date = end) -> Self {
    Self(startTime: startTime, endTime: endTime, delivery: AlertDelivery(savedAt: startTime))
  }
}

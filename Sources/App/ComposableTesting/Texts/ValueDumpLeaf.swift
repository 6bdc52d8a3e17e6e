import Composable
import Foundation

extension ValueDump {
  /// The text of a value that is rendered as a whole; nil for a value that is rendered by its parts.
  static func leaf(_ value: Any) -> String? {
    switch value {
    case let string as String: return string.debugDescription
    case let text as TextState: return text.text.debugDescription
    case let date as Date: return dateText(date)
    default: break
    }
    if type(of: value) is NSError.Type, let error = value as? NSError {
      return "NSError(\(error.domain) \(error.code): \(error.localizedDescription.debugDescription))"
    }
    return isSystemValue(value) ? String(describing: value) : nil
  }

  /// ISO 8601 in UTC. If the date is not a whole number of milliseconds, the seconds since 1970 follow.
  private static func dateText(_ date: Date) -> String {
    let text = date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    let milliseconds = date.timeIntervalSince1970 * 1000
    return milliseconds == milliseconds.rounded() ? text : "\(text) (\(date.timeIntervalSince1970) s)"
  }

  /// Whether it is a number, a duration, an identifier or the like, whose description is enough.
  private static func isSystemValue(_ value: Any) -> Bool {
    let isDescribed = value is any CustomStringConvertible
    let style = Mirror(reflecting: value).displayStyle
    let name = String(reflecting: type(of: value))
    return isDescribed && (style == nil || style == .struct)
      && (name.hasPrefix("Swift.") || name.hasPrefix("Foundation"))
  }

  /// The name of the type, without its module: `AlertFeature.State`.
  static func typeName(_ value: Any) -> String {
    let name = String(reflecting: type(of: value))
    if name.contains("<") || name.contains("(") { return String(describing: type(of: value)) }
    return name.split(separator: ".").dropFirst().joined(separator: ".")
  }

  /// Whether it only distinguishes values that are equal.
  static func isIdentity(_ value: Any) -> Bool {
    value is PresentationID
  }
}

/// A wrapper that is rendered as the value inside it.
protocol TransparentWrapper {
  var wrapped: Any { get }
}

extension Presents: TransparentWrapper {
  var wrapped: Any { wrappedValue as Any }
}

extension PresentationState: TransparentWrapper {
  var wrapped: Any { wrappedValue as Any }
}

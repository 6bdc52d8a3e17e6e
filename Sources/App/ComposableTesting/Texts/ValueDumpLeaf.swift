import Composable
import Foundation

extension ValueDump {
  /// The text of a value that is not looked into; nil for any other.
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
    return isOfSystem(value) ? String(describing: value) : nil
  }

  /// ISO 8601 in UTC, with the seconds since 1970 where there is more than milliseconds can say.
  private static func dateText(_ date: Date) -> String {
    let text = date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    let milliseconds = date.timeIntervalSince1970 * 1000
    return milliseconds == milliseconds.rounded() ? text : "\(text) (\(date.timeIntervalSince1970) s)"
  }

  /// Whether it is a number, a duration, an identifier or the like, which says of itself what it is.
  private static func isOfSystem(_ value: Any) -> Bool {
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

  /// Whether it only tells two things apart that are equal.
  static func isIdentity(_ value: Any) -> Bool {
    value is PresentationID
  }
}

/// A wrapper that is not worth a line of its own.
protocol TransparentWrapper {
  var wrapped: Any { get }
}

extension Presents: TransparentWrapper {
  var wrapped: Any { wrappedValue as Any }
}

extension PresentationState: TransparentWrapper {
  var wrapped: Any { wrappedValue as Any }
}

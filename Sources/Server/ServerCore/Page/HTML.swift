/// Text of a page. A `String` that is put into a literal is escaped; another `HTML` is not.
struct HTML: ExpressibleByStringInterpolation, Equatable {
  var text: String

  init(stringLiteral text: String) { self.text = text }
  init(stringInterpolation: StringInterpolation) { text = stringInterpolation.text }

  /// Text that is HTML already.
  init(trusted text: String) { self.text = text }

  static let empty: HTML = ""

  struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var text = ""

    init(literalCapacity: Int, interpolationCount: Int) { text.reserveCapacity(2 * literalCapacity) }

    mutating func appendLiteral(_ literal: String) { text += literal }
    mutating func appendInterpolation(_ value: String) { text += HTML.escaped(value) }
    mutating func appendInterpolation(_ number: Int64) { text += String(number) }
    mutating func appendInterpolation(_ part: HTML) { text += part.text }
    mutating func appendInterpolation(_ parts: [HTML]) { for part in parts { text += part.text } }
  }

  /// Safe as text and in a quoted attribute (<https://html.spec.whatwg.org/#escapingString>).
  private static func escaped(_ value: String) -> String {
    var escaped = ""
    for scalar in value.unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      case "'": escaped += "&#39;"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}

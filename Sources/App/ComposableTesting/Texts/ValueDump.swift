import Foundation

/// Renders a value as text for a person. A value with parts takes one line for each part, indented by two spaces a
/// level.
enum ValueDump {
  static func text(_ value: Any) -> String {
    lines(value).joined(separator: "\n")
  }

  static func lines(_ value: Any) -> [String] {
    if let wrapper = value as? any TransparentWrapper { return lines(wrapper.wrapped) }
    if let leaf = leaf(value) { return [leaf] }
    let mirror = Mirror(reflecting: value)
    switch mirror.displayStyle {
    case .optional: return mirror.children.first.map { lines($0.value) } ?? ["nil"]
    case .enum: return enumeration(value, mirror)
    case .collection: return enclosed("[", mirror.children.map { lines($0.value) }, "]")
    case .set: return enclosed("Set([", sorted(mirror.children.map { lines($0.value) }), "])")
    case .dictionary: return dictionary(mirror)
    case .tuple: return inlined("", fields(mirror))
    case .class: return ["\(typeName(value))(an object)"]
    default: return mirror.children.isEmpty ? plain(value) : structure(value, mirror)
    }
  }

  private static func structure(_ value: Any, _ mirror: Mirror) -> [String] {
    enclosed(typeName(value) + "(", fields(mirror), ")")
  }

  /// A value without parts: the type's name for a structure, otherwise the value's own description.
  private static func plain(_ value: Any) -> [String] {
    let name = typeName(value)
    guard Mirror(reflecting: value).displayStyle == .struct else { return ["\(value)"] }
    return [name + "()"]
  }

  private static func enumeration(_ value: Any, _ mirror: Mirror) -> [String] {
    guard let payload = mirror.children.first, let name = payload.label else { return [".\(value)"] }
    let tuple = Mirror(reflecting: payload.value)
    guard tuple.displayStyle == .tuple, !tuple.children.isEmpty else {
      return inlined(".\(name)", [lines(payload.value)])
    }
    return inlined(".\(name)", fields(tuple))
  }

  private static func dictionary(_ mirror: Mirror) -> [String] {
    guard !mirror.children.isEmpty else { return ["[:]"] }
    let pairs = mirror.children.map { pair in
      let parts = Mirror(reflecting: pair.value).children.map { lines($0.value) }
      return labelled(parts[0].joined(separator: " "), parts[1])
    }
    return enclosed("[", sorted(pairs), "]")
  }

  /// The parts with their names. A property wrapper has the name of its property.
  private static func fields(_ mirror: Mirror) -> [[String]] {
    mirror.children.filter { !isIdentity($0.value) }.map { child in
      guard let label = child.label, !label.hasPrefix(".") else { return lines(child.value) }
      return labelled(label.hasPrefix("_") ? String(label.dropFirst()) : label, lines(child.value))
    }
  }
}

// MARK: - Lines

extension ValueDump {
  private static func labelled(_ label: String, _ lines: [String]) -> [String] {
    ["\(label): \(lines[0])"] + lines.dropFirst()
  }

  private static func enclosed(_ opening: String, _ parts: [[String]], _ closing: String) -> [String] {
    guard !parts.isEmpty else { return [opening + closing] }
    return [opening] + parts.flatMap { $0.map { "  " + $0 } } + [closing]
  }

  /// On one line if every part has one line and the whole has at most 100 characters. A single part of several lines
  /// begins on the first line.
  private static func inlined(_ name: String, _ parts: [[String]]) -> [String] {
    if parts.count == 1, let last = parts[0].last, parts[0].count > 1 {
      return [name + "(" + parts[0][0]] + parts[0].dropFirst().dropLast() + [last + ")"]
    }
    let line = name + "(" + parts.map { $0.joined(separator: " ") }.joined(separator: ", ") + ")"
    let isShort = parts.allSatisfy { $0.count == 1 } && line.count <= 100
    return isShort ? [line] : enclosed(name + "(", parts, ")")
  }

  private static func sorted(_ parts: [[String]]) -> [[String]] {
    parts.sorted { $0.joined(separator: "\n") < $1.joined(separator: "\n") }
  }
}

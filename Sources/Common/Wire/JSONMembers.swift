package import Model

// Reads members by name and type. An error names the member.

extension JSONValue {
  package func required(_ name: StaticString) throws(JSONError) -> JSONValue {
    guard let value = try optional(name) else { throw JSONError(.wrongShape, "the member \(name) is missing") }
    return value
  }

  package func string(_ name: StaticString) throws(JSONError) -> String {
    let value = try required(name)
    return try naming(name) { () throws(JSONError) in try value.string() }
  }

  package func optionalString(_ name: StaticString) throws(JSONError) -> String? {
    guard let value = try optional(name) else { return nil }
    return try naming(name) { () throws(JSONError) in try value.string() }
  }

  package func integer(_ name: StaticString) throws(JSONError) -> Int {
    let value = try required(name)
    return try naming(name) { () throws(JSONError) in try value.integer() }
  }

  package func optionalInteger(_ name: StaticString) throws(JSONError) -> Int? {
    guard let value = try optional(name) else { return nil }
    return try naming(name) { () throws(JSONError) in try value.integer() }
  }

  package func double(_ name: StaticString) throws(JSONError) -> Double {
    let value = try required(name)
    return try naming(name) { () throws(JSONError) in try value.double() }
  }

  package func boolean(_ name: StaticString) throws(JSONError) -> Bool {
    let value = try required(name)
    return try naming(name) { () throws(JSONError) in try value.boolean() }
  }

  package func optionalBoolean(_ name: StaticString) throws(JSONError) -> Bool? {
    guard let value = try optional(name) else { return nil }
    return try naming(name) { () throws(JSONError) in try value.boolean() }
  }

  package func array(_ name: StaticString) throws(JSONError) -> JSONElements {
    let value = try required(name)
    return try naming(name) { () throws(JSONError) in try value.array() }
  }

  package func optionalArray(_ name: StaticString) throws(JSONError) -> JSONElements? {
    guard let value = try optional(name) else { return nil }
    return try naming(name) { () throws(JSONError) in try value.array() }
  }

  /// A UUID in its canonical form.
  package func identifier<Subject>(_ name: StaticString) throws(JSONError) -> Identifier<Subject> {
    let value = try required(name)
    guard value.isString, let identifier = value.withPlainBytes({ Identifier<Subject>(utf8: $0) }) else {
      throw JSONError(.wrongShape, "the member \(name) must be a UUID")
    }
    return identifier
  }

  /// An RFC 3339 time.
  package func timestamp(_ name: StaticString) throws(JSONError) -> Timestamp {
    guard let timestamp = try optionalTimestamp(name) else {
      throw JSONError(.wrongShape, "the member \(name) is missing")
    }
    return timestamp
  }

  package func optionalTimestamp(_ name: StaticString) throws(JSONError) -> Timestamp? {
    guard let value = try optional(name) else { return nil }
    guard value.isString, let timestamp = value.withPlainBytes({ Timestamp(utf8: $0) }) else {
      throw JSONError(.wrongShape, "the member \(name) must be an RFC 3339 time")
    }
    return timestamp
  }

  private func naming<Result>(
    _ name: StaticString, _ read: () throws(JSONError) -> Result
  ) throws(JSONError) -> Result {
    do {
      return try read()
    } catch {
      throw JSONError(error.code, "the member \(name): \(error.message)")
    }
  }
}

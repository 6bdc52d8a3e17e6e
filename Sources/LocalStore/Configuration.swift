package import Model

/// The file `config`: lines `key = value`, `#` begins a comment line. Keys: `endpoint`, `second_endpoint`, `ca_file`,
/// `region`. A missing file is an empty configuration; keys of others are kept.
package struct Configuration: Hashable, Sendable {
  /// The server's URL without a slash at the end.
  package var endpoint: String?
  /// Tried in an emergency when the first has failed twice.
  package var secondEndpoint: String?
  package var certificateAuthorityFile: String?
  /// ISO 3166-1 alpha-2.
  package var region: String?

  package init() {}

  package static func load(_ home: HomeDirectory) throws(LocalStoreError) -> Configuration { fatalError("not yet") }

  /// Replaces the file as a whole: a reader sees the old or the new one.
  package func save(_ home: HomeDirectory) throws(LocalStoreError) { fatalError("not yet") }

  /// `https://host[:port][/path]`, or `http://` to loopback only, without a slash at the end. Throws `InvalidInput` for
  /// anything else.
  package static func validatedEndpoint(_ text: String) throws(InvalidInput) -> String { fatalError("not yet") }
}

/// The server without its sockets: a synchronous function of (store, request, moment).
///
/// The shell calls it from any number of threads; a store lets one writer in at a time.
package struct ServerCore: Sendable {
  package let configuration: ServerConfiguration
  package let keys: ServerKeys

  package init(configuration: ServerConfiguration, keys: ServerKeys) {
    self.configuration = configuration
    self.keys = keys
  }
}

/// The routes under /v1/auth. (A stand-in until the accounts part is here.)
package enum AuthenticationRoutes {
  package static let entries: [RouteEntry] = []
}

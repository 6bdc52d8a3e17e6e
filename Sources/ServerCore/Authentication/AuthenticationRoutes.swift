/// The routes under /v1/auth.
package enum AuthenticationRoutes {
  package static let entries: [RouteEntry] = []
}

package import LocalStore

/// How things stand in the store, under a name of its own: the features' clients have an `AlertStatus` too.
package typealias StoreStatus = AlertStatus

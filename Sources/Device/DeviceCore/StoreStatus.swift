package import LocalStore

/// The store's `AlertStatus`, renamed because the features' clients also have an `AlertStatus`.
package typealias StoreStatus = AlertStatus

package import LocalStore
package import Model
import SystemKit

/// Raises an alert with what works on this device: the store, with the spool as the fallback.
///
/// It depends only on the C library and SQLite: no network, no phone number library, no concurrency.
package enum EmergencyActivation {
  package struct Outcome: Sendable {
    package let activation: Activation
    /// Nil if the store could not be opened; the alert is then in the spool.
    package let store: LocalStore?
    /// Why the alert is in the spool.
    package let storeError: LocalStoreError?
  }

  /// Neither the store nor the spool could take the alert.
  package struct NotSaved: Error, Sendable {
    package let storeError: LocalStoreError
    package let spoolError: LocalStoreError?
  }

  /// Returns when the alert is durable. Uses `store` if given, or else opens the home's store. The options limit the total time
  /// spent waiting for a locked store.
  package static func perform(
    _ draft: AlertDraft, home: HomeDirectory, store: LocalStore? = nil, options: StoreOptions = .live,
    at moment: Moment
  ) throws(NotSaved) -> Outcome {
    let deadline = options.activationDeadline
    let opened: LocalStore
    switch open(home, unless: store, options: options, at: moment, until: deadline) {
    case .success(let store): opened = store
    case .failure(let error):
      let activation = try spool(draft, home: home, options: options, at: moment, because: error)
      return Outcome(activation: activation, store: nil, storeError: error)
    }
    var (reason, spoolError): (LocalStoreError?, LocalStoreError?)
    do throws(LocalStoreError) {
      // The store itself falls back to the spool.
      let activation = try opened.activateAlert(
        draft, at: moment, until: deadline, noteSpooling: { reason = $0 }, noteSpoolFailure: { spoolError = $0 })
      return Outcome(activation: activation, store: opened, storeError: reason)
    } catch {
      throw NotSaved(storeError: error, spoolError: spoolError)
    }
  }

  private static func open(
    _ home: HomeDirectory, unless store: LocalStore?, options: StoreOptions, at moment: Moment, until deadline: Deadline
  ) -> Result<LocalStore, LocalStoreError> {
    if let store { return .success(store) }
    do throws(LocalStoreError) {
      return .success(try LocalStore.open(home, options: options, at: moment, deadline: deadline))
    } catch {
      return .failure(error)
    }
  }

  private static func spool(
    _ draft: AlertDraft, home: HomeDirectory, options: StoreOptions, at moment: Moment,
    because storeError: LocalStoreError
  ) throws(NotSaved) -> Activation {
    do throws(LocalStoreError) {
      return try Spool.activate(draft, home: home, options: options, at: moment)
    } catch {
      throw NotSaved(storeError: storeError, spoolError: error)
    }
  }
}

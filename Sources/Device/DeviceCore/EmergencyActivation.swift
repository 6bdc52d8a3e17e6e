package import LocalStore
package import Model

/// Raises an alert with whatever this device can still do: the store, else the spool.
///
/// It needs the C library and SQLite alone: no network, no number library, no concurrency.
package enum EmergencyActivation {
  package struct Outcome: Sendable {
    package let activation: Activation
    /// Nil where the store could not be opened; the alert then lies in the spool.
    package let store: LocalStore?
    /// Why the alert lies in the spool.
    package let storeError: LocalStoreError?
  }

  /// Neither the store nor the spool could take the alert.
  package struct NotSaved: Error, Sendable {
    package let storeError: LocalStoreError
    package let spoolError: LocalStoreError?
  }

  /// Returns when the alert is durable. `store` is used where it is given; otherwise the home's is opened. Others who keep the
  /// store busy are waited for no longer than the options say, all waits together.
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
    do throws(LocalStoreError) {
      // The store falls back to the spool by itself.
      var reason: LocalStoreError?
      let activation = try opened.activateAlert(draft, at: moment, until: deadline) { reason = $0 }
      return Outcome(activation: activation, store: opened, storeError: reason)
    } catch {
      throw NotSaved(storeError: error, spoolError: nil)
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

public import AppModel
public import Composable
public import FoundationEssentials

extension AlertFeature {
  /// What a view shows.
  public struct State: Equatable, Sendable {
    /// How the newest alert stands, and how the device and the server agree, as last heard.
    public var snapshot: AlertSnapshot
    /// How full the alert button is, 0 to 1.
    public var activationProgress: Double
    /// How far what ends the alert has been held, 0 to 1.
    public var deactivationProgress: Double
    /// The alerts so far, newest first.
    public var alertHistory: [AlertRecord]
    /// The alert is being saved.
    public var isActivatingAlert: Bool
    /// The end of the alert is being saved.
    public var isDeactivatingAlert: Bool
    /// The history is being read, because it was asked for.
    public var isLoadingHistory: Bool
    /// What the person writes to the responders of the active alert.
    public var updateMessage: String
    /// Where they say that they are: `LAT,LON` in degrees, or words.
    public var updatePlace: String
    /// Message and place are being saved.
    public var isSendingUpdate: Bool
    /// What went wrong last, in words for the person, until they have read it or an alert was raised or ended.
    public var error: String? {
      didSet { if error == nil { problem = nil } }
    }
    /// What kind of thing that is; nil where `error` is.
    public var problem: Problem?
    /// The dialog that is shown.
    @Presents public var confirmationAlert: AlertState<Action.ConfirmationAlert>?

    /// The person holds what ends the alert.
    public var isHoldingDeactivation: Bool
    /// Snapshots are wanted: from `task` or `appBecameActive` until `appBecameInactive`.
    public var isFollowingAlert: Bool
    /// The snapshots ended by themselves and have not begun again: whatever is shown may be out of date, and a view says so.
    public var isStale: Bool

    /// What the person saw when they began to end the alert; nil while they do not, and where that is not known.
    var snapshotToEnd: AlertSnapshot?
    /// Of the history that was read last, or is being read; nil where it is to be read with the next snapshot.
    var historyRevision: String?

    private let injectedDate = InjectedDate()

    /// A state; without arguments the one of a device that is not known yet.
    public init(
      isAlertActive: Bool = false, activationProgress: Double = 0, deactivationProgress: Double = 0,
      alertStartTime: Date? = nil, alertEndTime: Date? = nil, alertHistory: [AlertRecord] = [],
      isActivatingAlert: Bool = false, isDeactivatingAlert: Bool = false, isLoadingHistory: Bool = false,
      error: String? = nil, problem: Problem? = nil,
      confirmationAlert: AlertState<Action.ConfirmationAlert>? = nil,
      delivery: AlertDelivery? = nil, isDrill: Bool = false, connection: ConnectionStatus = ConnectionStatus(),
      isHoldingDeactivation: Bool = false, isFollowingAlert: Bool = false, isStale: Bool = false,
      updateMessage: String = "", updatePlace: String = "", isSendingUpdate: Bool = false
    ) {
      self.updateMessage = updateMessage
      self.updatePlace = updatePlace
      self.isSendingUpdate = isSendingUpdate
      snapshot = AlertSnapshot(
        isActive: isAlertActive, startTime: alertStartTime, endTime: alertEndTime, isDrill: isDrill, delivery: delivery,
        connection: connection)
      self.activationProgress = activationProgress
      self.deactivationProgress = deactivationProgress
      self.alertHistory = alertHistory
      self.isActivatingAlert = isActivatingAlert
      self.isDeactivatingAlert = isDeactivatingAlert
      self.isLoadingHistory = isLoadingHistory
      self.error = error
      self.problem = problem
      self.confirmationAlert = confirmationAlert
      self.isHoldingDeactivation = isHoldingDeactivation
      self.isFollowingAlert = isFollowingAlert
      self.isStale = isStale
    }
  }
}

// MARK: - What the snapshot says

extension AlertFeature.State {
  /// Whether an alert is active.
  public var isAlertActive: Bool {
    get { snapshot.isActive }
    set { snapshot.isActive = newValue }
  }

  /// When the alert was raised, or the last one where none is active; nil before the first.
  public var alertStartTime: Date? {
    get { snapshot.startTime }
    set { snapshot.startTime = newValue }
  }

  /// When the last alert was ended; nil while one is active.
  public var alertEndTime: Date? {
    get { snapshot.endTime }
    set { snapshot.endTime = newValue }
  }

  /// How far the alert got; nil where nothing is known yet except that it is saved here.
  public var delivery: AlertDelivery? {
    get { snapshot.delivery }
    set { snapshot.delivery = newValue }
  }

  /// The alert is a drill.
  public var isDrill: Bool {
    get { snapshot.isDrill }
    set { snapshot.isDrill = newValue }
  }

  /// How the device and the server agree.
  public var connection: ConnectionStatus {
    get { snapshot.connection }
    set { snapshot.connection = newValue }
  }
}

// MARK: - What follows from it

extension AlertFeature.State {
  /// None is active, and nothing is being saved.
  public var canActivateAlert: Bool { !isAlertActive && !isAwaitingAnswer }

  /// One is active, and nothing is being saved.
  public var canDeactivateAlert: Bool { isAlertActive && !isAwaitingAnswer }

  /// An alert is active, and there is something to tell its responders.
  public var canSendUpdate: Bool {
    isAlertActive && !isDeactivatingAlert && !isSendingUpdate && !(updateMessage.isBlank && updatePlace.isBlank)
  }

  /// The alert button is full.
  public var isFullyActivated: Bool { activationProgress >= 1 }

  /// What ends the alert was held long enough.
  public var isFullyDeactivated: Bool { deactivationProgress >= 1 }

  /// For how many seconds the alert has been active, or was the last one. 0 without a start and where an end is not known, and
  /// never less, whatever the clocks say.
  ///
  /// "Now" is the injected date of the store: a store makes its initial state with its own dependencies, and a state reads
  /// the `date` of those that were current when it was made. So nothing has to change in the state each second, and
  /// `timerTick` changes nothing, as the design of the feature has it. A state that was made elsewhere keeps the date of
  /// there; a view that draws one moment many times uses ``alertDuration(at:)``.
  public var alertDuration: TimeInterval { alertDuration(at: injectedDate.now) }

  /// ``alertDuration`` where it is `now`.
  public func alertDuration(at now: Date) -> TimeInterval {
    guard let alertStartTime, isAlertActive || alertEndTime != nil else { return 0 }
    return max(0, (alertEndTime ?? now).timeIntervalSince(alertStartTime))
  }

  /// ``alertDuration`` as `MM:SS`, from one hour as `HH:MM:SS`.
  public var formattedAlertDuration: String { formattedAlertDuration(at: injectedDate.now) }

  /// ``formattedAlertDuration`` where it is `now`.
  public func formattedAlertDuration(at now: Date) -> String {
    ElapsedTime(seconds: alertDuration(at: now)).description
  }

  var isAwaitingAnswer: Bool { isActivatingAlert || isDeactivatingAlert }
}

#if PLANTED_BUGS
  /// A mistake that real systems made, put into the engine on purpose to see that the simulator finds it.
  ///
  /// The hooks are in the engine's code, one line each where that is possible, and are compiled in only where `PLANTED_BUGS` is
  /// defined: in debug builds, and in others that were built with `LIFESIGNAL_PLANTED_BUGS=1` in the environment.
  ///
  /// Each comment says what the mistake is, then who made it, then which promise of the design it breaks.
  /// `tools/faults/plants.py` reads them.
  package enum PlantedBug: String, CaseIterable, Sendable {
    // MARK: What "saved" means

    /// Commits are not synced: the write-ahead log runs with `synchronous=NORMAL`.
    /// The default of many platforms' database wrappers, chosen for speed. A power cut takes commits that were reported.
    /// Breaks I1.
    case walWithNormal = "wal-with-normal"
    /// The device says "saved" although the commit failed.
    /// Apps that log the error of a write and go on, and databases that took a failed sync for a passing one.
    /// Breaks I1.
    case acknowledgedBeforeCommit = "acknowledged-before-commit"
    /// The server answers first and commits with the next request.
    /// Write-behind caches and group commits that answer before the group is on the disk.
    /// Breaks I5.
    case answeredBeforeCommit = "answered-before-commit"
    /// A small file is written and synced, and its folder is not.
    /// Every program that learnt from a power cut that a name is not part of its file: editors, package managers, mail servers.
    /// Breaks I1.
    case folderNotSynced = "folder-not-synced"
    /// An alert's row and its queued mutation are written in two transactions.
    /// The reason why the transactional outbox has a name: a crash between the two leaves one without the other.
    /// Breaks I2.
    case mutationApart = "mutation-apart"

    // MARK: The queue

    /// A retry goes under a new mutation id.
    /// Clients that make the idempotency key with the request and not with the wish; payments were made twice by it.
    /// Breaks I3.
    case newIDOnRetry = "new-id-on-retry"
    /// Where the answer was lost, the server's word "duplicate" is taken for a refusal, and the item is parked.
    /// Clients that treat every 409 as an error, also the one that says that all is well.
    /// Breaks I5.
    case duplicateIsRefused = "duplicate-is-refused"
    /// An item that the server refuses is not parked, and all behind it waits with it.
    /// The poison message of every queue without a place for dead letters.
    /// Breaks I5.
    case poisonBlocksQueue = "poison-blocks-queue"
    /// An item that the server refuses is deleted.
    /// Clients that drop what was answered with 4xx, since a retry would not help.
    /// Breaks I5.
    case refusedIsDeleted = "refused-is-deleted"
    /// A 404 counts as our server's last word, whoever answered.
    /// Clients behind captive portals, proxies and a load balancer whose routes are being changed.
    /// Breaks I5.
    case foreign404IsFinal = "foreign-404-is-final"
    /// An item is dropped after five attempts.
    /// The default of many job queues and upload managers: a long outage empties the queue.
    /// Breaks I5.
    case attemptsRunOut = "attempts-run-out"
    /// The answer's results are taken by their place and not by their ids.
    /// Batch protocols whose server leaves out, or sorts, what it answers: the wrong item is marked as done.
    /// Breaks I5.
    case resultsByPlace = "results-by-place"
    /// A batch is sent newest first.
    /// Queues kept as a stack, and lists that were sorted for the eye before they were sent.
    /// Breaks I6.
    case fifoBroken = "fifo-broken"
    /// A batch is sorted by its ids, which carry the device's time.
    /// Systems that order by time-stamped ids: when the clock is set back, the second comes before the first.
    /// Breaks I6.
    case queueSortedByClock = "queue-sorted-by-clock"
    /// Signing out deletes what is still queued, without a word.
    /// Apps that clear all tables when the account goes.
    /// Breaks I5.
    case signOutDeletesQueue = "sign-out-deletes-queue"
    /// What another account left on the device goes with the account that signs in.
    /// Shared tablets and second-hand telephones; caches with no account in their key.
    /// Breaks I7.
    case accountsMixed = "accounts-mixed"

    // MARK: A second press

    /// Whoever calls for help while an alert is active here is shown that one, and the call is forgotten.
    /// This project, and most alarm buttons: "already active" was taken for "already told", and somebody else had ended it.
    /// Breaks I10.
    case pressSwallowed = "press-swallowed"
    /// "Received" is said of the alert that is active, also where the call that was made last is still on the device.
    /// This project: the state of the first call was shown for the second.
    /// Breaks I10.
    case receivedOfOlder = "received-of-older"

    // MARK: When to try

    /// A failed exchange is tried again after a fifth of a second, always.
    /// The retry storms that have kept large services down after their first fault was mended.
    /// Breaks I8.
    case retryWithoutBackoff = "retry-without-backoff"
    /// The stored time of the next attempt is believed, however far off.
    /// Clients that were silent for months because a clock had been a year ahead for a minute.
    /// Breaks I5.
    case waitsByWallClock = "waits-by-wall-clock"
    /// The refresh of a session whose answer was lost counts as the reuse of a stolen token.
    /// Strict token rotation without a replay of the successor: a lost answer signs the person out.
    /// Breaks I5.
    case refreshLosesSession = "refresh-loses-session"

    // MARK: An emergency on a path that is slow, or changes

    /// An alert waits until the routine exchange in flight is over, and others start while it waits for its next attempt.
    /// Clients with one queue of requests and one connection: a large upload on a slow link is in front of everything.
    /// Breaks I14.
    case emergencyWaitsForRoutine = "emergency-waits-for-routine"
    /// Every change of the network cancels the request in flight, whether or not the way to the server changed.
    /// Clients that start anew with each word of the system's reachability service, and so never come to an answer.
    /// Breaks I14.
    case networkEventCancelsEmergency = "network-event-cancels-emergency"
    /// A connection that says nothing is waited for until the time-out.
    /// Pools of kept connections behind an address translation that has forgotten them: every first request hangs.
    /// Breaks I14.
    case deadConnectionIsWaitedFor = "dead-connection-is-waited-for"

    // MARK: Processes that stand still

    /// Where another process holds the sender's lease, nothing is sent without it.
    /// Locks without a sign of life: the holder is stopped, swapped out or blocked by its terminal, and everybody waits.
    /// Breaks I5.
    case leaseIsACondition = "lease-is-a-condition"
    /// Each press that went to the spool becomes an alert of its own.
    /// Queues of last resort that are replayed without the rules of the first one.
    /// Breaks I6.
    case spooledPressesApart = "spooled-presses-apart"

    // MARK: What the device learns

    /// The cursor is moved in a transaction of its own, before the changes are stored.
    /// Consumers that commit their offset before the work is done: a crash between the two loses the work.
    /// Breaks I4.
    case cursorBeforeChanges = "cursor-before-changes"
    /// Changes that are older than the last success, by the device's clock, are passed over as known.
    /// Sync by "modified since" with the client's own time.
    /// Breaks I4.
    case deviceClockAsCursor = "device-clock-as-cursor"
    /// The server's word that an alert is active takes back an end that is still queued here.
    /// Caches that let a refresh overwrite what was changed offline.
    /// Breaks I6.
    case endForgotten = "end-forgotten"
    /// Devices are not told of removed contacts.
    /// Replication without tombstones: what was deleted stays, or comes back.
    /// Breaks I4.
    case removalUntold = "removal-untold"
    /// The write-ahead log is never copied into the database.
    /// Databases with a forgotten reader or a checkpoint that was turned off: the log grows until the disk is full.
    /// Breaks I8.
    case logNeverShrinks = "log-never-shrinks"

    /// One word in an answer that the device does not know makes it unreadable as a whole.
    /// Clients with closed enumerations, which an update of the server has put out of service years later.
    /// Breaks I5.
    case unknownWordStopsAll = "unknown-word-stops-all"

    // MARK: The server

    /// The server does not remember that an id was answered: a replay is applied again, over what came later.
    /// Idempotency keys that are kept in a cache, or not at all.
    /// Breaks I3.
    case forgottenResults = "forgotten-results"
    /// The server stores a further call for help and tells nobody of it.
    /// Services that log an update to an incident without notifying anyone again.
    /// Breaks I10.
    case updateUntold = "update-untold"
    /// The server takes one further call for help in an alert, and refuses the next as if it did not know the alert.
    /// Services that answer with "no such incident" what they have no place for: each report opens another incident.
    /// Breaks I5.
    case secondCallRefused = "second-call-refused"
    /// An end that was made before a newer call for help was seen ends the alert all the same.
    /// Last writer wins: who was offline longest has the last word.
    /// Breaks I10.
    case staleEndCounts = "stale-end-counts"
    /// The end of an alert is told while another alert of the same person is active.
    /// Whoever thinks of one incident at a time: "all clear" for the first fire is the last that is heard in the second.
    /// Breaks I10.
    case safeAmidAlert = "safe-amid-alert"
    /// A webhook's id stays the same where a later attempt says something newer.
    /// Senders that number the job and not the message: receivers that drop what they have seen, as they are told to, drop the news.
    /// Breaks I10.
    case newsUnderOldID = "news-under-old-id"
    /// "Safe now" does not wait until "help" has gone out.
    /// Workers that take messages side by side from one queue.
    /// Breaks I6.
    case safeBeforeHelp = "safe-before-help"
    /// Messages go out in the order in which they were queued, whoever they are of and however much haste they have.
    /// Shared work queues without priorities: one customer's test run delays everybody's orders.
    /// Breaks I5.
    case firstComeFirstServed = "first-come-first-served"
    /// A message that was claimed by a server that died is never claimed again.
    /// Queues whose claim has an owner and no end.
    /// Breaks I5.
    case leaseNeverEnds = "lease-never-ends"

    // MARK: After a restore

    /// A server that was restored from a backup takes a cursor that it never gave for one of its own, and keeps its epoch.
    /// Sync by sequence numbers alone: after the restore the numbers are given a second time.
    /// Breaks I5.
    case restoredServerSwallows = "restored-server-swallows"
    /// The device sees that the server was restored, pulls from the start, and offers nothing again.
    /// Clients that delete on acknowledgement and trust the server's copy for ever.
    /// Breaks I5.
    case notOfferedAgain = "not-offered-again"
    /// After a restore an alert that had ended is offered again without its end.
    /// Replays of a log that were cut off too early: alarms of yesterday that ring today.
    /// Breaks I6.
    case staleAlertReplayed = "stale-alert-replayed"
    /// A whole history is queued again for a restored server in one transaction.
    /// Migrations and re-synchronisations that were tried with ten rows and hold the lock for a minute with a user's ten thousand.
    /// Breaks I8.
    case historyInOneTransaction = "history-in-one-transaction"
  }

  extension PlantedBug {
    /// Whether this build has the hooks.
    package static let isCompiledIn = true

    @TaskLocal package static var current: PlantedBug?

    package var isPlanted: Bool { Self.current == self }

    /// Runs `body` with the bug in the engine, on this thread.
    package static func plant<Result>(_ bug: PlantedBug?, _ body: () throws -> Result) rethrows -> Result {
      try $current.withValue(bug, operation: body)
    }
  }
#endif

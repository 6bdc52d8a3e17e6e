#if PLANTED_BUGS
  /// A mistake that real systems made, planted in the engine to see that the simulator finds it.
  ///
  /// The hooks are in the engine's code, usually one line each. They are only compiled in with `PLANTED_BUGS`: in debug builds, and
  /// in builds with `LIFESIGNAL_PLANTED_BUGS=1` in the environment.
  ///
  /// The first line of each comment is the mistake, then comes who made it, and last the promise that it breaks
  /// (`Violation.Promise`). `tools/faults/plants.py` parses them.
  package enum PlantedBug: String, CaseIterable, Sendable {
    // MARK: Durability

    /// Commits are not synced: the write-ahead log runs with `synchronous=NORMAL`.
    /// The default of many database wrappers, chosen for speed. A power cut takes commits that were reported.
    /// Breaks I1.
    case walWithNormal = "wal-with-normal"
    /// The device says "saved" although the commit failed.
    /// Apps that only log a failed write, and databases that took a failed sync for a temporary one.
    /// Breaks I1.
    case acknowledgedBeforeCommit = "acknowledged-before-commit"
    /// The server answers first and commits with the next request.
    /// Write-behind caches, and group commits that answer before the group is on disk.
    /// Breaks I5.
    case answeredBeforeCommit = "answered-before-commit"
    /// A small file is written and synced, but its folder is not.
    /// Editors, package managers and mail servers that learned from a power cut that a name is not part of its file.
    /// Breaks I1.
    case folderNotSynced = "folder-not-synced"
    /// An alert's row and its queued mutation are written in two transactions.
    /// The reason for the transactional outbox: a crash between the two leaves one without the other.
    /// Breaks I2.
    case mutationApart = "mutation-apart"

    // MARK: The queue

    /// A retry uses a new mutation id.
    /// Clients that create the idempotency key per request instead of per intent; payments were made twice by it.
    /// Breaks I3.
    case newIDOnRetry = "new-id-on-retry"
    /// If the answer was lost, the server's "duplicate" is taken for a refusal, and the item is parked.
    /// Clients that treat every 409 as an error, including the one that says that all is well.
    /// Breaks I5.
    case duplicateIsRefused = "duplicate-is-refused"
    /// A refused item is not parked, and everything behind it waits.
    /// The poison message of every queue without a dead-letter queue.
    /// Breaks I5.
    case poisonBlocksQueue = "poison-blocks-queue"
    /// A refused item is deleted.
    /// Clients that drop what was answered with 4xx, since a retry would not help.
    /// Breaks I5.
    case refusedIsDeleted = "refused-is-deleted"
    /// A 404 counts as our server's final answer, whoever sent it.
    /// Clients behind captive portals, proxies, and load balancers whose routes are being changed.
    /// Breaks I5.
    case foreign404IsFinal = "foreign-404-is-final"
    /// An item is dropped after five attempts.
    /// The default of many job queues and upload managers: a long outage empties the queue.
    /// Breaks I5.
    case attemptsRunOut = "attempts-run-out"
    /// The answer's results are matched by position and not by id.
    /// Batch protocols whose server omits or sorts results: the wrong item is marked as done.
    /// Breaks I5.
    case resultsByPlace = "results-by-place"
    /// A batch is sent newest first.
    /// Queues kept as a stack, and lists that were sorted for display before they were sent.
    /// Breaks I6.
    case fifoBroken = "fifo-broken"
    /// A batch is sorted by its ids, which contain the device's time.
    /// Systems that order by time-stamped ids: after the clock is set back, the second comes before the first.
    /// Breaks I6.
    case queueSortedByClock = "queue-sorted-by-clock"
    /// Signing out silently deletes what is still queued.
    /// Apps that clear all tables on sign-out.
    /// Breaks I5.
    case signOutDeletesQueue = "sign-out-deletes-queue"
    /// What another account left on the device is sent with the account that signs in.
    /// Shared tablets and second-hand telephones; caches without the account in their key.
    /// Breaks I7.
    case accountsMixed = "accounts-mixed"

    // MARK: A second press

    /// A call for help while an alert is active here shows that alert, and the call is dropped.
    /// Most alarm buttons, and an early version of this one: "already active" was taken for "already told", although somebody
    /// else had ended the alert.
    /// Breaks I10.
    case pressSwallowed = "press-swallowed"
    /// "Received" is shown for the active alert while its newest call is still on the device.
    /// An early version of this project: the state of the first call was shown for the second.
    /// Breaks I10.
    case receivedOfOlder = "received-of-older"
    /// A call for help replaces all that wait, with the newest words.
    /// An early version of this project: outboxes that keep the latest value of a field, as for a setting. What was typed in between is
    /// lost.
    /// Breaks I5.
    case wordsMergedAway = "words-merged-away"

    // MARK: Retries

    /// A failed exchange is always retried after 200 ms.
    /// The retry storms that kept large services down after the original fault was fixed.
    /// Breaks I8.
    case retryWithoutBackoff = "retry-without-backoff"
    /// The stored time of the next attempt is trusted, however far off.
    /// Clients that were silent for months because a clock had been a year ahead for a minute.
    /// Breaks I5.
    case waitsByWallClock = "waits-by-wall-clock"
    /// A repeated refresh whose answer was lost counts as the reuse of a stolen token.
    /// Strict token rotation without a replay of the successor: a lost answer signs the person out.
    /// Breaks I5.
    case refreshLosesSession = "refresh-loses-session"

    // MARK: Emergencies on slow or changing paths

    /// An alert waits for the routine exchange in flight, and others start while it waits for its next attempt.
    /// Clients with one request queue and one connection: a large upload on a slow link blocks everything.
    /// Breaks I14.
    case emergencyWaitsForRoutine = "emergency-waits-for-routine"
    /// Every network change cancels the request in flight, whether or not the route to the server changed.
    /// Clients that restart on each event of the system's reachability service, and never get an answer.
    /// Breaks I14.
    case networkEventCancelsEmergency = "network-event-cancels-emergency"
    /// A silent connection is waited for until the timeout.
    /// Connection pools behind an address translation that has dropped them: every first request hangs.
    /// Breaks I14.
    case deadConnectionIsWaitedFor = "dead-connection-is-waited-for"

    // MARK: Rare heartbeats

    /// While an alert is active the event stream stays as quiet as an idle device's.
    /// Telephones that save power by rules that know of no emergency: news arrives with the next wake-up.
    /// Breaks I15.
    case quietDuringAlert = "quiet-during-alert"
    /// An interval between heartbeats of which the event stream has died is asked for again.
    /// Clients whose keepalive is longer than the address translation of some networks remembers: their pushes come when the app is
    /// opened.
    /// Breaks I15.
    case quietAskedForAgain = "quiet-asked-for-again"

    // MARK: Frozen processes

    /// While another process holds the sender's lease, nothing is sent without it.
    /// Locks without a heartbeat: the holder is stopped, swapped out or blocked by its terminal, and everybody waits.
    /// Breaks I5.
    case leaseIsACondition = "lease-is-a-condition"
    /// Each press that went to the spool becomes an alert of its own.
    /// Fallback queues that are replayed without the rules of the first one.
    /// Breaks I6.
    case spooledPressesApart = "spooled-presses-apart"

    // MARK: Changes from the server

    /// The cursor is committed before the changes are stored.
    /// Consumers that commit their offset before the work is done: a crash in between loses the work.
    /// Breaks I4.
    case cursorBeforeChanges = "cursor-before-changes"
    /// Changes older than the last success, by the device's clock, are skipped as known.
    /// Sync by "modified since" with the client's own time.
    /// Breaks I4.
    case deviceClockAsCursor = "device-clock-as-cursor"
    /// The server's active alert overwrites an end that is still queued here.
    /// Caches in which a refresh overwrites offline changes.
    /// Breaks I6.
    case endForgotten = "end-forgotten"
    /// Devices are not told of removed contacts.
    /// Replication without tombstones: deleted items stay or return.
    /// Breaks I4.
    case removalUntold = "removal-untold"
    /// The write-ahead log is never checkpointed.
    /// Databases with a forgotten reader or a disabled checkpoint: the log grows until the disk is full.
    /// Breaks I8.
    case logNeverShrinks = "log-never-shrinks"

    /// One unknown word in an answer makes the whole answer unreadable.
    /// Clients with closed enumerations, which a server update broke years later.
    /// Breaks I5.
    case unknownWordStopsAll = "unknown-word-stops-all"

    // MARK: The server

    /// The server forgets that an id was answered: a replay is applied again, over later changes.
    /// Idempotency keys that are kept in a cache, or not at all.
    /// Breaks I3.
    case forgottenResults = "forgotten-results"
    /// The server stores a further call for help and tells nobody.
    /// Services that log an update to an incident without notifying anyone again.
    /// Breaks I10.
    case updateUntold = "update-untold"
    /// The server refuses the second further call for help in an alert as if it did not know the alert.
    /// Services that answer "no such incident" to what they have no field for: each report opens another incident.
    /// Breaks I5.
    case secondCallRefused = "second-call-refused"
    /// An end that has not seen a newer call for help ends the alert all the same.
    /// Last writer wins: the device that was offline longest decides.
    /// Breaks I10.
    case staleEndCounts = "stale-end-counts"
    /// Another device's place takes back an end that waits, or that a command has sent.
    /// This engine, for weeks: the server names the newest update, whatever it is, and the device took it for a call.
    /// Breaks I5.
    case placeTakesBackEnd = "place-takes-back-end"
    /// The end of an alert is told while another alert of the same person is active.
    /// Systems for one incident at a time: "all clear" for the first fire is the last message heard in the second.
    /// Breaks I10.
    case safeAmidAlert = "safe-amid-alert"
    /// A webhook keeps its id when a later attempt carries newer words.
    /// Senders that number the job and not the message: receivers drop repeated ids, as they are told to, and with them the
    /// news.
    /// Breaks I10.
    case newsUnderOldID = "news-under-old-id"
    /// "Safe now" does not wait until "help" has been sent.
    /// Workers that take messages from one queue in parallel.
    /// Breaks I6.
    case safeBeforeHelp = "safe-before-help"
    /// Messages are sent in the order in which they were queued, whatever their account and priority.
    /// Shared work queues without priorities: one customer's test run delays everybody's orders.
    /// Breaks I5.
    case firstComeFirstServed = "first-come-first-served"
    /// A message that failed once waits behind those that hang, and are tried again and again.
    /// An early version of this project, and queues with one lane for retries: a thousand dead addresses delay the one that only blinked.
    /// Breaks I5.
    case retriesWaitAlike = "retries-wait-alike"
    /// A message claimed by a server that died is never claimed again.
    /// Queues whose claims have an owner and no expiry.
    /// Breaks I5.
    case leaseNeverEnds = "lease-never-ends"

    // MARK: Until somebody comes

    /// Nobody is asked again who was sent a message.
    /// Pagers that take "delivered" for "answered": a push can be hours late.
    /// Breaks I11.
    case reminderStopsAtSent = "reminder-stops-at-sent"
    /// A reminder waits for the channel that it was to take, while another of the same responder works.
    /// Round robin without a look at the answer: every second reminder goes to a receiver that is down.
    /// Breaks I11.
    case reminderWaitsForItsChannel = "reminder-waits-for-its-channel"
    /// The next tier is never told.
    /// Escalation policies whose second level was never tried.
    /// Breaks I11.
    case tierNeverReached = "tier-never-reached"
    /// "I can't" ends the asking as "I'm responding" does.
    /// Systems in which any answer closes the call.
    /// Breaks I11.
    case declineEndsAsking = "decline-ends-asking"
    /// Somebody who said once that they come is trusted for good.
    /// Incident tools without a timeout on acknowledgements: the pager's owner fell asleep again.
    /// Breaks I11.
    case silentResponderTrusted = "silent-responder-trusted"
    /// Opening the page counts as an answer.
    /// One-click acknowledgements by a link: mail scanners and chat previews click it.
    /// Breaks I12.
    case pageOpenAcknowledges = "page-open-acknowledges"
    /// Opening the page counts as having seen it.
    /// Read receipts by a picture: programs load pictures.
    /// Breaks I12.
    case pageOpenIsSeen = "page-open-is-seen"
    /// An answer counts for the person's newest alert, not for that of the link.
    /// Answers that are found by telephone number alone.
    /// Breaks I12.
    case answerToNewestAlert = "answer-to-newest-alert"
    /// The code of a text message counts from every number.
    /// Confirmation codes that are looked up alone: whoever reads one over a shoulder answers for its owner.
    /// Breaks I12.
    case answerFromAnyNumber = "answer-from-any-number"
    /// An answer in a responder's inbox stays there: the alert does not hear of it.
    /// Apps that show "answered" by what they sent, not by what arrived.
    /// Breaks I11.
    case inboxAnswerUnheard = "inbox-answer-unheard"
    /// An alert is written into inboxes when it is raised, and never again.
    /// Notifications that are written once: "needs help" long after others came.
    /// Breaks I11.
    case inboxNeverUpdated = "inbox-never-updated"
    /// A drill is told in the words of a real alert.
    /// Hawaii, January 2018: the drill's message was the real one.
    /// Breaks I13.
    case drillLooksReal = "drill-looks-real"

    // MARK: After a restore

    /// A restored server accepts a cursor that it never issued, and keeps its epoch.
    /// Sync by sequence numbers alone: after the restore the numbers are reused.
    /// Breaks I5.
    case restoredServerSwallows = "restored-server-swallows"
    /// The device notices a restore, pulls from the start, and offers nothing again.
    /// Clients that delete on acknowledgment and trust the server's copy forever.
    /// Breaks I5.
    case notOfferedAgain = "not-offered-again"
    /// After a restore an ended alert is offered again without its end.
    /// Truncated log replays: yesterday's alarms ring today.
    /// Breaks I6.
    case staleAlertReplayed = "stale-alert-replayed"
    /// A whole history is queued for a restored server in one transaction.
    /// Migrations that were tried with ten rows and hold the lock for a minute with ten thousand.
    /// Breaks I8.
    case historyInOneTransaction = "history-in-one-transaction"
  }

  extension PlantedBug {
    /// Whether this build has the hooks.
    package static let isCompiledIn = true

    @TaskLocal package static var current: PlantedBug?

    package var isPlanted: Bool { Self.current == self }

    /// Runs `body` with the bug planted, on this thread.
    package static func plant<Result>(_ bug: PlantedBug?, _ body: () throws -> Result) rethrows -> Result {
      try $current.withValue(bug, operation: body)
    }
  }
#endif

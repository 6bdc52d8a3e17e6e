import ChildPrograms
import PlantedBugs
import TestSupport
import Testing

@testable import Simulator

/// Tests the simulator: it finds each planted bug. `tools/faults/plants.py` measures in how many seeds.
@Suite(.computing) struct `A planted bug` {
  /// The first seed that finds each bug in a run of usual size. Changes to the simulated people or faults change it.
  static let seeds: [PlantedBug: UInt64] = [
    .walWithNormal: 1, .acknowledgedBeforeCommit: 1, .answeredBeforeCommit: 5, .folderNotSynced: 9,
    .mutationApart: 1, .newIDOnRetry: 2, .duplicateIsRefused: 2, .poisonBlocksQueue: 1, .refusedIsDeleted: 1,
    .foreign404IsFinal: 41, .attemptsRunOut: 1, .resultsByPlace: 3, .fifoBroken: 1, .queueSortedByClock: 25,
    .signOutDeletesQueue: 35, .accountsMixed: 64, .pressSwallowed: 1, .receivedOfOlder: 2, .retryWithoutBackoff: 153,
    .waitsByWallClock: 22, .refreshLosesSession: 1, .emergencyWaitsForRoutine: 78,
    .quietDuringAlert: 2, .quietAskedForAgain: 1, .networkEventCancelsEmergency: 210, .deadConnectionIsWaitedFor: 53,
    .leaseIsACondition: 2,
    .spooledPressesApart: 18, .cursorBeforeChanges: 12, .deviceClockAsCursor: 5, .endForgotten: 20, .removalUntold: 6,
    .logNeverShrinks: 2, .unknownWordStopsAll: 6, .forgottenResults: 2, .updateUntold: 12, .staleEndCounts: 9,
    .wordsMergedAway: 2, .placeTakesBackEnd: 739,
    .secondCallRefused: 2, .newsUnderOldID: 30, .safeAmidAlert: 26,
    .safeBeforeHelp: 72, .firstComeFirstServed: 1, .retriesWaitAlike: 1, .leaseNeverEnds: 10,
    .restoredServerSwallows: 4,
    .reminderStopsAtSent: 1, .reminderWaitsForItsChannel: 36, .tierNeverReached: 12, .declineEndsAsking: 26,
    .silentResponderTrusted: 17,
    .pageOpenAcknowledges: 1, .pageOpenIsSeen: 1, .answerFromAnyNumber: 30, .answerToNewestAlert: 7,
    .inboxAnswerUnheard: 26, .inboxNeverUpdated: 1, .drillLooksReal: 1,
    .notOfferedAgain: 4, .staleAlertReplayed: 9, .historyInOneTransaction: 69,
  ]

  @Test(arguments: ThreadSanitizer.cases(PlantedBug.allCases))
  func `is found`(_ bug: PlantedBug) throws {
    var simulation = Simulation(seed: try #require(Self.seeds[bug], "no seed is known that finds \(bug.rawValue)"))
    simulation.bug = bug
    let violations = ScratchFolder.with { simulation.run(in: "\($0)/run").violations }
    #expect(!violations.isEmpty, "seed \(simulation.seed) does not find \(bug.rawValue)")
  }

  @Test func `affects no run that did not ask for it`() {
    #expect(PlantedBug.allCases.allSatisfy { !$0.isPlanted })
    PlantedBug.plant(.fifoBroken) {
      #expect(PlantedBug.allCases.filter(\.isPlanted) == [.fifoBroken])
    }
  }
}

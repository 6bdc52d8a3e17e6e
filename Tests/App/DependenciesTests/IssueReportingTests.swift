import Testing

@testable import Dependencies

@Suite struct `Issues that are told` {
  @Test func `An endpoint that throws reports its name and source location`() {
    let reported = issues {
      #expect(throws: Unimplemented(endpoint: "WeatherClient.today")) {
        let _: Int = try unimplemented("WeatherClient.today")
      }
    }
    #expect(reported.first?.message == "Unimplemented: 'WeatherClient.today' was used in a test that has not set it.")
    #expect(reported.first?.location.fileID == "DependenciesTests/IssueReportingTests.swift")
    #expect(reported.count == 1)
  }

  @Test func `An endpoint that cannot throw returns its placeholder`() {
    let reported = issues {
      #expect(unimplemented("WeatherClient.degrees", placeholder: -1) == -1)
    }
    #expect(reported.count == 1)
  }

  @Test func `A task's reporter applies to its child tasks and ends with it`() async {
    let reported = await issues {
      await Task { IssueReporting.report("inner", severity: .warning) }.value
    }
    #expect(reported.map(\.severity) == [.warning])
    #expect(reported.map(\.message) == ["inner"])
  }

  @Test func `On standard error an issue is one line`() {
    let location = CodeLocation(fileID: "App/File.swift", filePath: "/App/File.swift", line: 3, column: 1)
    let issue = ReportedIssue("one\n\ntwo", severity: .warning, at: location)
    #expect(standardErrorLine(issue) == "App/File.swift:3: warning: one two\n")
  }
}

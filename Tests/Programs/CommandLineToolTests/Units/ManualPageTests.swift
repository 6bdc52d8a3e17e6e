import Arguments
import Testing

@testable import CommandLineTool

@Suite struct `The manual` {
  private static func answer(_ name: String?) -> String? {
    ManualPage.answer(name, of: CommandTable.root, globalOptions: GlobalOption.all, section: 1)
  }

  private static func count(_ command: CommandSpecification) -> Int {
    command.subcommands.reduce(1) { $0 + count($1) }
  }

  @Test func `has a page for the program and for each command`() throws {
    let names = try #require(Self.answer(nil)).split(separator: "\n").map(String.init)
    #expect(names.count == Self.count(CommandTable.root))
    #expect(names.contains("lifesignal.1") && names.contains("lifesignal-alert-activate.1"))
    for name in names {
      let page = try #require(Self.answer(name))
      #expect(page.hasPrefix(".TH "), "\(name)")
      #expect(
        page.contains(".SH NAME\n\(name.dropLast(2).split(separator: "-").joined(separator: "\\-")) \\- "), "\(name)")
    }
    #expect(Self.answer("lifesignal-nothing.1") == nil)
  }

  @Test func `keeps the lists of the help as lists`() throws {
    let names = try #require(Self.answer(nil)).split(separator: "\n").map(String.init)
    for name in names {
      var isFilled = true
      for line in try #require(Self.answer(name)).split(separator: "\n") {
        if line == ".nf" || line == ".fi" { isFilled = line == ".fi" }
        #expect(!isFilled || !line.contains("  "), "\(name): \(line)")
      }
    }
    let settings = try #require(Self.answer("lifesignal-config.1"))
    #expect(settings.contains(".nf\nendpoint         https://host"), "\(settings)")
  }

  @Test func `shows text as it is, and blocks unfilled`() throws {
    let command = CommandSpecification(
      name: "try-it", summary: "try “it” with a \\ and a '",
      details: """
        Words that
        are filled.

        .not a request
            indented --as-is
              more
        back again
        """,
      options: [.value("file", "FILE", letter: "f", "the file")], examples: ["try-it -f 'x'"])
    let page = try #require(ManualPage.answer("try-it.8", of: command, globalOptions: [], section: 8))
    #expect(
      page == """
        .TH TRY\\-IT 8 "" "try\\-it \(ProgramVersion.current)" LifeSignal
        .nh
        .ad l
        .SH NAME
        try\\-it \\- try “it” with a \\e and a \\(aq
        .SH SYNOPSIS
        .nf
        try\\-it [\\-\\-file FILE]
        .fi
        .SH "DESCRIPTION"
        Words that
        are filled.
        .PP
        \\&.not a request
        .RS 4
        .nf
        indented \\-\\-as\\-is
          more
        .fi
        .RE
        back again
        .SH "OPTIONS"
        .TP
        \\fB\\-f\\fR, \\fB\\-\\-file\\fR \\fIFILE\\fR
        the file
        .SH "EXAMPLES"
        .RS 4
        .nf
        try\\-it \\-f \\(aqx\\(aq
        .fi
        .RE

        """)
  }
}

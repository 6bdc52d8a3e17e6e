import Testing

@testable import CommandLineTool

@Suite struct `The unit of the service` {
  @Test(arguments: [
    ("/usr/bin/lifesignal", #""/usr/bin/lifesignal""#), ("/a b/c", #""/a b/c""#), ("/100%", #""/100%%""#),
    (#"/q"\x"#, #""/q\"\\x""#), ("/$HOME", #""/$HOME""#), ("/l\nm\t", #""/l\nm\x09""#), ("/Übung", #""/Übung""#),
  ])
  func `quotes paths as systemd reads them`(path: String, quoted: String) {
    #expect(ServiceUnit.quoted(path) == quoted)
  }

  @Test func `runs the worker for its home, and starts it again whenever it ends`() {
    let text = ServiceUnit(program: "/opt/my tools/lifesignal", home: "/home/ana/50 %").text
    #expect(text.contains(#"ExecStart=:"/opt/my tools/lifesignal" --home "/home/ana/50 %%" sync --watch"#))
    let odd = ServiceUnit(program: #"/my "tools"/lifesignal"#, home: "/home/ana").text
    let shell = #"/bin/sh -c "exec \"$0\" \"$@\"""#
    #expect(odd.contains(#"ExecStart=:\#(shell) "/my \"tools\"/lifesignal" --home "/home/ana" sync"#))
    #expect(text.contains("ExecReload=/bin/sh -c \"kill -HUP $MAINPID\"\n"), "\(text)")
    #expect(text.contains("Restart=always") && text.contains("WantedBy=default.target"))
    #expect(text.hasPrefix(ServiceUnit.mark + "\n[Unit]\n"))
  }
}

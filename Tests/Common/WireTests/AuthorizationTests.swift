import Testing

@testable import Wire

@Suite struct AuthorizationTests {
  @Test func `carries a token as it is`() {
    #expect(Authorization.bearer("ls_a-b.c~1") == "Bearer ls_a-b.c~1")
  }

  @Test(arguments: ["", "a\u{1}b", "a b", "a\r\nX: y", "é"])
  func `replaces one that damage has left unusable, so that the server refuses it`(token: String) {
    #expect(Authorization.bearer(token) == "Bearer \(Authorization.unusable)")
  }
}

/// A place in the source.
public struct CodeLocation: Hashable, Sendable {
  /// The module and the file: `AlertFeature/AlertFeature.swift`.
  public var fileID: String
  /// The file's path when it was compiled.
  public var filePath: String
  /// The line, from 1.
  public var line: Int
  /// The column, from 1.
  public var column: Int

  /// A place; by default that of the caller.
  public init(
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) {
    self.fileID = String(describing: fileID)
    self.filePath = String(describing: filePath)
    self.line = Int(line)
    self.column = Int(column)
  }
}

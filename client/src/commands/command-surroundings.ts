/** The process around a command. */
export interface CommandSurroundings {
  readStandardInput(): Buffer;
  /** The result. */
  writeOutput(text: string): void;
  /** Everything else, for people. */
  writeNote(text: string): void;
}

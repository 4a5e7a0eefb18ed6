/** The programs of the threads that hold secrets. Only the main program knows where they were built to. */
export interface ThreadFiles {
  readonly signing: URL;
  readonly generation: URL;
}

/** What the threads that hold secrets run. Only the program itself knows where it was built to. */
export interface ThreadFiles {
  readonly signing: URL;
  readonly generation: URL;
}

/** The ports of what `npm start` serves to this machine. */

const DEFAULT_PORT = 8080;

export interface StartPorts {
  readonly vault: number;
  /** The development identity provider's. */
  readonly signIn: number;
  /** Of the lab's venues, by their place among them. */
  venue(index: number): number;
}

/** One behind the other from the vault's own (`PORT`) on; all free ones, which each start takes anew, where that is 0. */
export function startPorts(port: string | undefined): StartPorts {
  const vault = Number(port ?? DEFAULT_PORT);
  const behind = (places: number) => (vault === 0 ? 0 : vault + places);
  return { vault, signIn: behind(1), venue: (index) => behind(2 + index) };
}

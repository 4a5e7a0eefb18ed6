/**
 * Commits whose outcome is unknown: the answer did not come in time, or the connection broke. Their rows may stand, may
 * come to stand later (a commit that waits for a standby shows its rows once the standby answers), or never will.
 * Before the next rows are written, the database is asked where the chain stands; two commits for one place cannot both
 * stand.
 */
import type {
  ChainLink,
  ChainPlace,
  RecordChain,
  RecordValue,
} from '@countersign/runtime/records/record-chain.js';

/** Nothing was sent to the database, so nothing is in doubt. */
export class NotSentError extends Error {}

/** The database shows a chain that this writer did not write. It is not believed, and nothing is written. */
export class StrangeHeadError extends Error {}

/** Undefined when all was written; the reason when it was refused and nothing was. Throws where neither is known. */
export type SendRows = (links: readonly ChainLink[]) => Promise<Error | undefined>;

export interface DoubtfulCommits {
  /** Never called twice at a time. Returns what `send` returns, and keeps the chain where the database has it. */
  write(records: readonly (readonly RecordValue[])[], send: SendRows): Promise<Error | undefined>;
  /**
   * Asks about doubtful commits, as before each write. Never called while a write is under way. Throws where no write
   * could be made.
   */
  settle(): Promise<unknown>;
}

/** `readHead`: reads where the database has the chain. */
export function createDoubtfulCommits(
  chain: RecordChain,
  readHead: () => Promise<ChainPlace>,
  onStrangeHead: (reason: string) => void,
): DoubtfulCommits {
  /** The last link of each doubtful commit. Each begins where the chain stands, so at most one comes to stand. */
  let doubtful: (readonly ChainLink[])[] = [];

  function settleAs(links: readonly ChainLink[]): void {
    chain.commit(links);
    doubtful = [];
  }

  /** Whether the chain has moved on. */
  async function settle(): Promise<boolean> {
    if (doubtful.length === 0) return false;
    const head = await readHead();
    // a doubtful commit may still come: the next rows wait for it, or take its place
    if (isSamePlace(head, chain.head)) return false;
    const standing = doubtful.find((links) => isSamePlace(head, links.at(-1)!));
    if (standing === undefined) {
      const reason = `the database shows record ${head.seq} of chain ${chain.id}, which this process did not write`;
      onStrangeHead(reason);
      throw new StrangeHeadError(reason);
    }
    settleAs(standing);
    return true;
  }

  async function sendOnce(
    records: readonly (readonly RecordValue[])[],
    send: SendRows,
  ): Promise<Error | undefined> {
    const links = chain.link(records);
    try {
      const refusal = await send(links);
      if (refusal === undefined) settleAs(links);
      return refusal;
    } catch (error) {
      if (!(error instanceof NotSentError)) doubtful.push(links.slice(-1));
      throw error;
    }
  }

  return {
    settle,
    async write(records, send) {
      await settle();
      const refusal = await sendOnce(records, send);
      if (refusal === undefined) return undefined;
      // a doubtful commit came to stand meanwhile and had the place
      return (await settle()) ? sendOnce(records, send) : refusal;
    },
  };
}

function isSamePlace(one: ChainPlace, other: ChainPlace): boolean {
  return one.seq === other.seq && one.hash.equals(other.hash);
}

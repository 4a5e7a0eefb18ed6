/**
 * One party takes part in making new shares of a key, from the old shares of two. The key stays what it is, and old
 * shares are of no use with new ones. The maths is in the threads; this brings together what the parties say.
 *
 * Each dealer first gives its word, then deals. Each party takes its new share and says what it took. They seal it when
 * all say the same, make trial signatures with what they sealed, and compare the transcript hash that they attest.
 */
import { ByteReader, ByteWriter, parseBase64, type Bytes } from '@countersign/core/bytes.js';
import type { PartyNumber } from '@countersign/core/parties.js';
import type { Key } from '@countersign/vault/state/state.js';
import { ResharingError } from '../threads/resharing-error.js';
import type {
  FromParty,
  OwnDeal,
  ResharingContext,
  ResharingDeal,
  ResharingFault,
} from '../threads/resharing-tasks.js';
import type { CompletedShare, StoredKey } from '../threads/thread-tasks.js';
import type { ThreadPools } from '../threads/thread-pools.js';
import { otherParties, type CeremonyRun } from './ceremony-run.js';
import { tryShare, type TrialDeps } from './try-share.js';

type ResharingThreads = Pick<
  ThreadPools,
  'beginResharing' | 'revealDeal' | 'takeNewShare' | 'finishResharing'
>;

export interface ReshareDeps extends TrialDeps {
  readonly threads: TrialDeps['threads'] & ResharingThreads;
}

export interface WantedShares {
  readonly key: Key;
  readonly dealers: readonly [PartyNumber, PartyNumber];
  /**
   * This party's share, for a dealer: of the version that the ledger says is the key's. Two dealers that deal from
   * different versions each take the other for a liar.
   */
  readonly old: StoredKey | undefined;
  /** Of the new shares: a number that no other share of the key has. */
  readonly version: number;
}

/**
 * Throws `ResharingError` when somebody does not follow the protocol, `TrialFailedError` when a trial fails, and other
 * errors when a message is missing or this party's old share is no good.
 */
export async function runReshare(
  deps: ReshareDeps,
  run: CeremonyRun,
  { key, dealers, old, version }: WantedShares,
): Promise<CompletedShare> {
  const { session, keyId } = run;
  const [first, second] = dealers;
  if (first === second) throw new RangeError('two dealers are needed');
  const context: ResharingContext = {
    session,
    keyId,
    version,
    type: key.type,
    publicKey: parseBase64(key.publicKey)!,
    dealers: first < second ? [first, second] : [second, first],
  };
  const share = await takeShare(deps.threads, run, context, old);
  const differing = await tryShare(deps, run, { key, share, version });
  if (differing !== undefined) {
    throw new ResharingError(`this party and party ${differing} took shares of different keys`);
  }
  return share;
}

async function takeShare(
  threads: ResharingThreads,
  run: CeremonyRun,
  context: ResharingContext,
  old: StoredKey | undefined,
): Promise<CompletedShare> {
  const { session } = context;
  const dealers = context.dealers.filter((dealer) => dealer !== run.self.party);
  const word = await threads.beginResharing({ context, old });
  if (word !== undefined) await tellOthers(run, 'word', word);
  const words = await hear(run, 'word', dealers);
  await sendDeal(run, await threads.revealDeal({ session, words }));
  const deals = (await hear(run, 'deal', dealers)).map(decodeDeal);
  const taken = await threads.takeNewShare({ session, deals });
  for (const { piece } of deals) piece.fill(0);
  const { statement } = orThrow(taken);
  await tellOthers(run, 'statement', statement);
  const statements = await hear(run, 'statement', otherParties(run.self.party));
  return orThrow(await threads.finishResharing({ session, statements }));
}

/** Each other party gets its own piece, which is then wiped here. */
async function sendDeal({ send }: CeremonyRun, deal: OwnDeal | undefined): Promise<void> {
  if (deal === undefined) return;
  await Promise.all(
    deal.pieces.map(async ({ party, bytes }) => {
      const payload = encodeDeal(deal.published, bytes);
      bytes.fill(0);
      await send(party, 'deal', payload);
      payload.fill(0);
    }),
  );
}

async function tellOthers({ self, send }: CeremonyRun, tag: string, payload: Bytes) {
  await Promise.all(otherParties(self.party).map((party) => send(party, tag, payload)));
}

function hear(
  { inbox }: CeremonyRun,
  tag: string,
  parties: readonly PartyNumber[],
): Promise<FromParty[]> {
  return Promise.all(
    parties.map(async (party) => ({ party, bytes: await inbox.receive(tag, party) })),
  );
}

function encodeDeal(published: Bytes, piece: Bytes): Buffer {
  return new ByteWriter().field(published).field(piece).bytes();
}

/** In memory of its own, as posting a view posts all that is behind it. What came is wiped. */
function decodeDeal({ party, bytes }: FromParty): ResharingDeal {
  try {
    const reader = new ByteReader(bytes);
    const published = Uint8Array.from(reader.field());
    const piece = Uint8Array.from(reader.field());
    reader.end();
    bytes.fill(0);
    return { dealer: party, published, piece };
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    throw new ResharingError(`a deal of party ${party} is malformed`, party);
  }
}

function orThrow<T extends { readonly ok: true }>(result: T | ResharingFault): T {
  if (result.ok) return result;
  throw new ResharingError(result.reason, result.party);
}

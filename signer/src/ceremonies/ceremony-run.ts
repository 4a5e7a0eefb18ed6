/** One run of a key ceremony: who takes part in it, and how it is called. */
import { randomBytes } from 'node:crypto';
import { ByteReader, ByteWriter, type Bytes } from '@countersign/core/bytes.js';
import { readReplica, writeReplica, type Replica } from '@countersign/runtime/jobs/replica.js';
import { PARTY_NUMBERS, type PartyNumber } from '@countersign/core/parties.js';
import type { PartyMessage } from '../channel/messages.js';
import type { CeremonyInbox } from './ceremony-inbox.js';

/** A run as one party takes part in it. */
export interface CeremonyRun {
  readonly self: Replica;
  readonly session: string;
  readonly keyId: string;
  /** One of each party, in order. */
  readonly replicas: readonly Replica[];
  /** See {@link RunStart.stockId}. */
  readonly stockId: string;
  readonly inbox: CeremonyInbox;
  /** Ends when the run is overtaken by another one for the same key. */
  readonly signal: AbortSignal;
  send(to: PartyNumber, tag: string, payload: Bytes): Promise<void>;
}

export function createRunSender(
  run: Pick<CeremonyRun, 'session' | 'keyId' | 'replicas'>,
  send: (to: Replica, message: PartyMessage) => Promise<void>,
): CeremonyRun['send'] {
  const { session, keyId, replicas } = run;
  return (party, tag, payload) => {
    const to = replicas.find((replica) => replica.party === party);
    if (to === undefined) throw new Error(`no replica of party ${party}`);
    return send(to, { kind: 'ceremony', session, keyId, tag, payload });
  };
}

export interface RunCallerDeps {
  readonly self: Replica;
  send(to: Replica, message: PartyMessage): Promise<void>;
  /** One live replica of each party, or undefined. */
  findReplicas(): Promise<Replica[] | undefined>;
}

interface CalledRun extends Pick<RunStart, 'stockId'>, Partial<Pick<RunStart, 'refresh'>> {
  readonly tag: string;
  readonly keyId: string;
}

/** Tells the other parties of a new run. Undefined while a party is away: a run needs all three. */
export async function callRun(
  deps: RunCallerDeps,
  { tag, keyId, stockId, refresh = 0 }: CalledRun,
): Promise<{ readonly session: string; readonly start: RunStart } | undefined> {
  const replicas = await deps.findReplicas();
  if (replicas === undefined) return undefined;
  const session = randomBytes(16).toString('hex');
  const tell = createRunSender({ session, keyId, replicas }, deps.send);
  const start = { replicas, stockId, refresh };
  const payload = encodeRunStart(start);
  await Promise.all(otherParties(deps.self.party).map((party) => tell(party, tag, payload)));
  return { session, start };
}

export function otherParties(self: PartyNumber): PartyNumber[] {
  return PARTY_NUMBERS.filter((party) => party !== self);
}

/** What a caller tells the others of a run. */
export interface RunStart {
  /** One of each party, in order. */
  readonly replicas: readonly Replica[];
  /** A key made ahead that is to become this one; empty for none. */
  readonly stockId: string;
  /** Number of the refresh whose new shares it makes; 0 for another run. Parties that know different ones make none. */
  readonly refresh: number;
}

export function encodeRunStart({ replicas, stockId, refresh }: RunStart): Buffer {
  const writer = new ByteWriter();
  for (const replica of replicas) writeReplica(writer, replica);
  return writer.field(stockId).u64(refresh).bytes();
}

/** Throws RangeError unless it names one replica of each party, in order. */
export function decodeRunStart(bytes: Bytes): RunStart {
  const reader = new ByteReader(bytes);
  const replicas = PARTY_NUMBERS.map((party) => {
    const replica = readReplica(reader);
    if (replica.party !== party) throw new RangeError('replicas out of order');
    return replica;
  });
  const stockId = reader.text();
  const refresh = reader.u64();
  reader.end();
  return { replicas, stockId, refresh };
}

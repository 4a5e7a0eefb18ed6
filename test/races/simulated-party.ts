/** Replicas of parties: everything about head, freeze and release is the real code; threads and stores are not. */
import { sign } from 'node:crypto';
import type { PartyNumber } from '@countersign/core/parties.js';
import type { EvidenceKeys } from '@countersign/core/evidence-seal.js';
import type { LedgerPin } from '@countersign/runtime/ledger/ledger-pin.js';
import { startReplica, type Replica } from '@countersign/runtime/jobs/replica.js';
import { NO_PRICE_FEED } from '@countersign/runtime/prices/price-feed.js';
import type { SignBatch } from '@countersign/runtime/jobs/sign-batch.js';
import type { Logger } from '@countersign/runtime/process/logger.js';
import { encodeMessage } from '../../signer/dist/channel/messages.js';
import { openTrust } from '../../signer/dist/open-party.js';
import { openSigning } from '../../signer/dist/open-signing.js';
import type { PartyTrust } from '../../signer/dist/open-party.js';
import type { PartySigning } from '../../signer/dist/open-signing.js';
import { isFreezeInForce } from '../../signer/dist/party/primary.js';
import { createRequestMemory } from '../../signer/dist/requests/request-memory.js';
import { roleIn } from '../../signer/dist/signing/batch-role.js';
import { dispatchPartyMessage } from '../../signer/dist/signing/dispatch-party-message.js';
import type { PartyMessageReceivers } from '../../signer/dist/signing/dispatch-party-message.js';
import { signAsPartner } from '../../signer/dist/signing/sign-as-partner.js';
import type { ThreadPools } from '../../signer/dist/threads/thread-pools.js';
import { testPrivateKey } from '../support/ledger-builder.ts';
import type { Weather } from './race-weather.ts';
import { openSimulatedFollower, type SimulatedLedger } from './simulated-ledger.ts';
import { isSigned, type SimulatedRecords } from './simulated-records.ts';
import type { SimulatedProcess } from './virtual-time.ts';

/** What keeps a replica from signing against a freeze. */
export interface Safeguards extends PartyTrust {
  readonly isPrimary: boolean;
}

/** Takes one of them away, to see that the races miss it. */
export type Weaken = (safeguards: Safeguards) => Safeguards;

export interface SimulatedReplica {
  readonly self: Replica;
  readonly process: SimulatedProcess;
  readonly isPrimary: boolean;
  /** Of another replica. */
  hear(from: Replica, bytes: Buffer): void;
  take(batch: SignBatch): void;
}

/** What replicas meet outside themselves. */
export interface PartySurroundings {
  readonly weather: Weather;
  readonly ledger: SimulatedLedger;
  readonly records: SimulatedRecords;
  readonly evidenceKeys: EvidenceKeys;
  readonly weaken: Weaken;
  /** Wall clock of a process, ms. */
  clock(): () => number;
  findPrimary(party: PartyNumber): Promise<Replica | undefined>;
  send(from: Replica, to: Replica, bytes: Buffer): Promise<void>;
  publish(reply: Buffer, channel: string): Promise<void>;
  /** A result with a signature was handed to the store. */
  onSignedRow(requestId: string): void;
}

export const SILENT = Object.fromEntries(
  ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'isLevelEnabled'].map((name) => [
    name,
    () => undefined,
  ]),
) as unknown as Logger;

/** What outlives the processes of a party's primary replica. */
export interface PrimaryFolder {
  pinned: LedgerPin | undefined;
}

export interface ReplicaPlace {
  readonly party: PartyNumber;
  readonly name: string;
  /** The primary replica's alone. */
  readonly folder: PrimaryFolder | undefined;
  readonly isBlinded: boolean;
  readonly lag: number;
}

export async function openSimulatedReplica(
  surroundings: PartySurroundings,
  { party, name, folder, ...eyes }: ReplicaPlace,
  process: SimulatedProcess,
): Promise<SimulatedReplica> {
  const { weather, ledger, evidenceKeys } = surroundings;
  const self = startReplica(party, name);
  const isPrimary = folder !== undefined;
  const wasThereBefore = folder?.pinned !== undefined;
  const now = surroundings.clock();
  const elapsed = () => performance.now();
  let newestFreeze = 0;
  const follower = await openSimulatedFollower({
    ledger,
    weather,
    reader: { process, ...eyes },
    pins: folder,
    onOutcomes(outcomes) {
      newestFreeze = outcomes.findLast(isFreezeInForce)?.seq ?? newestFreeze;
    },
  });
  const threads = simulatedThreads(weather, party);
  const send = (to: Replica, message: Parameters<typeof encodeMessage>[0]) =>
    surroundings.send(self, to, encodeMessage(message));
  const pool = surroundings.records.openPool((rows) => {
    for (const row of rows) if (isSigned(row)) surroundings.onSignedRow(row.request_id);
  });
  const redis = {
    publish: (channel: string, reply: Buffer) => surroundings.publish(reply, channel),
  };
  const program = { logger: SILENT, life: { onStop: () => undefined }, now, elapsed };
  const presence = { findPrimary: () => surroundings.findPrimary(party) };
  const ground = {
    self,
    isPrimary,
    isRestarted: wasThereBefore,
    newestFreeze: () => newestFreeze,
    follower,
    ledger,
    pool,
    recordPool: pool,
    evidenceKeys,
    threads,
    send,
    redis,
    requests: createRequestMemory({ takenBefore: isPrimary && !wasThereBefore ? 0 : now() }),
    readyToTake: async () => undefined,
    prices: NO_PRICE_FEED,
  };
  // what only real servers, threads and files would use is not there
  const trustDeps = { ...ground, presence } as unknown as Parameters<typeof openTrust>[1];
  const trust = openTrust(program as never, trustDeps);
  const safeguards = surroundings.weaken({ ...trust, isPrimary });
  const signing = openSigning(program as never, { ...ground, ...safeguards } as never);
  return connect(self, process, { ...signing, ...safeguards, send });
}

function connect(
  self: Replica,
  process: SimulatedProcess,
  parts: PartySigning & Safeguards & Pick<PartyMessageReceivers, 'send'>,
): SimulatedReplica {
  const { context, borrowed, inbox, isPrimary } = parts;
  const ceremonies = { receive: () => undefined };
  const receivers: PartyMessageReceivers = { ...parts, self, ceremonies, logger: SILENT };
  return {
    self,
    process,
    isPrimary,
    hear: (from, bytes) => dispatchPartyMessage(receivers, from, bytes),
    take(batch) {
      const role = roleIn(batch, self);
      if (role === 'lead') inbox.addBatch(batch);
      if (role === 'partner') signAsPartner(context, borrowed, batch).catch(() => undefined);
    },
  };
}

const IDENTITIES = {
  1: testPrivateKey('party 1'),
  2: testPrivateKey('party 2'),
  3: testPrivateKey('party 3'),
};

function simulatedThreads({ wait }: Weather, party: PartyNumber): ThreadPools {
  const identity = IDENTITIES[party];
  const threads: Partial<ThreadPools> = {
    async commit(slots) {
      await wait('maths');
      return new Uint8Array(64 * slots.length);
    },
    async partner(items) {
      await wait('maths');
      return items.map(() => ({ ok: true, contribution: new Uint8Array(32) }));
    },
    async lead(items) {
      await wait('maths');
      const signature = new Uint8Array(64);
      return items.map(() => ({ ok: true, signature, passphrase: '' }));
    },
    async signIdentity(messages) {
      await wait('maths');
      return messages.map((message) => Uint8Array.from(sign(null, message, identity)));
    },
  };
  return threads as ThreadPools;
}

/**
 * Replicas of three parties that sign for each other: the real decisions of both roles, over a ledger of the test and
 * stores that the test can make forget. The maths is another test's: every contribution is good.
 */
import { randomBytes, sign } from 'node:crypto';
import { createVerifyParty } from '@countersign/api/signed-tree.js';
import type { PartyNumber } from '@countersign/core/parties.js';
import { startReplica, type Replica } from '@countersign/runtime/jobs/replica.js';
import type { SignBatch, SignItem } from '@countersign/runtime/jobs/sign-batch.js';
import { encodeOutcome, type SignOutcome } from '@countersign/runtime/jobs/sign-outcome.js';
import { NO_PRICE_FEED, type PriceFeed } from '@countersign/runtime/prices/price-feed.js';
import { createLogger, type Logger } from '@countersign/runtime/process/logger.js';
import type { Alarm } from '@countersign/runtime/alarms/alarms.js';
import type { Contribution, PartyMessage } from '../../signer/src/channel/messages.js';
import { primaryTrust } from '../../signer/src/party/head-trust.js';
import { commitOnce, type RequestTables } from '../../signer/src/records/commit-once.js';
import type { KnownRequest, RecordEntry } from '../../signer/src/records/record-entry.js';
import {
  createRequestMemory,
  type DurableMessages,
  type RequestMessage,
  type TimedRequest,
} from '../../signer/src/requests/request-memory.js';
import { createGivenContributions } from '../../signer/src/signing/given-contributions.js';
import type { PartyContext } from '../../signer/src/signing/party-context.js';
import { BoundedMap } from '@countersign/core/bounded-map.js';
import { createReleaseGate } from '../../signer/src/signing/release-gate.js';
import { signAsLead } from '../../signer/src/signing/sign-as-lead.js';
import { signAsPartner } from '../../signer/src/signing/sign-as-partner.js';
import { createSigningLog } from '../../signer/src/signing/signing-log.js';
import { isHeldOpen } from '@countersign/vault/policy/released-approvals.js';
import { testPrivateKey, type LedgerBuilder } from './ledger-builder.js';
import { completedStatement } from '../../signer/src/threads/lone-statement.js';
import type { LeadItem, PartnerItem } from '../../signer/src/threads/thread-tasks.js';
import { createLimitRows, type LimitRows } from './limit-rows.js';

/** What a replica let out: as a partner what it contributed to, as a lead what it signed. */
export interface LetOut {
  readonly party: PartyNumber;
  readonly name: string;
  readonly requestId: string;
  readonly messageSha256: string;
}

/** What one database holds for all three parties, until it forgets. */
export interface SharedStore {
  forget(): void;
  tablesOf(party: PartyNumber): RequestTables;
}

export function createSharedStore(): SharedStore {
  const messages = new Map<string, RequestMessage>();
  const results = new Map<string, Buffer>();
  const leads = [1, 2, 3] as const;
  const resultsOf = (id: string) =>
    leads.flatMap((lead) => {
      const payload = results.get(`${id} ${lead}`);
      return payload === undefined ? [] : [{ lead, payload }];
    });
  return {
    forget() {
      messages.clear();
      results.clear();
    },
    tablesOf: (party) => ({
      async insert(entries) {
        for (const { record, askedAt, message, result, isBesideOthers = false } of entries) {
          const id = record.requestId;
          const isTold = message !== undefined && messages.has(`${askedAt} ${id} ${party}`);
          const isDone =
            result !== undefined &&
            (results.has(`${id} ${party}`) || (!isBesideOthers && resultsOf(id).length > 0));
          if (isTold || isDone) return new Error('known');
        }
        for (const { record, askedAt, message, result } of entries) {
          const name = `${record.requestId} ${party}`;
          if (message !== undefined) messages.set(`${askedAt} ${name}`, message);
          if (result !== undefined) results.set(name, encodeOutcome(result.outcome));
        }
        return undefined;
      },
      async findKnown(entries) {
        const known = entries.map(
          ({ askedAt, record: { requestId: id } }): [string, KnownRequest] => [
            id,
            { message: messages.get(`${askedAt} ${id} ${party}`), results: resultsOf(id) },
          ],
        );
        return new Map(known.filter(([, one]) => one.message !== undefined || one.results.length));
      },
    }),
  };
}

export interface SigningReplica {
  readonly self: Replica;
  readonly context: PartyContext;
  /** What it told its lead last. */
  readonly told: () => Contribution;
}

export interface ReplicaOptions {
  readonly party: PartyNumber;
  readonly name: string;
  readonly ledger: LedgerBuilder;
  readonly store: SharedStore;
  /** Numbers of the party, which all of its replicas share. */
  readonly nonces: PartyContext['nonces'];
  readonly takenBefore: number;
  readonly durable?: DurableMessages & {
    readonly earlier: readonly (TimedRequest & { readonly message: RequestMessage })[];
  };
  readonly onAlarm?: (alarm: Alarm) => void;
  /** What the parties' limits share; absent: rows of its own. */
  readonly limitRows?: LimitRows;
  /** What things cost, as this replica knows it; absent: it knows nothing. */
  readonly prices?: PriceFeed;
  /** What its lines go to; absent: nowhere. */
  readonly logger?: Logger;
}

const SIGNATURE = Buffer.alloc(64, 1);

/** One start of a replica. */
export function openSigningReplica(options: ReplicaOptions): SigningReplica {
  const { party, name, ledger, store, takenBefore, durable } = options;
  const now = () => ledger.now;
  const tables = store.tablesOf(party);
  const identity = testPrivateKey(`party ${party}`);
  let told: Contribution = { givenAt: 0, treeSignature: SIGNATURE, parts: [] };
  const self = startReplica(party, name);
  const context = {
    self,
    follower: {
      get state() {
        return ledger.state;
      },
      get view() {
        return ledger.view;
      },
      confirmedMsAgo: 0,
      catchUp: async () => undefined,
      waitUntil: async () => true,
    },
    trust: primaryTrust({ pinnedSeq: Infinity, pinTrouble: undefined }),
    heads: { isSuperseded: () => false },
    gate: createReleaseGate(),
    given: createGivenContributions(),
    threads: {
      partner: async (items: readonly PartnerItem[]) =>
        items.map(({ statement }) => ({
          ok: true,
          contribution: randomBytes(96),
          ...(statement !== undefined && { said: sign(null, statement, identity) }),
        })),
      lead: async (items: readonly LeadItem[]) =>
        items.map(({ statement }) => ({
          ok: true,
          signature: SIGNATURE,
          passphrase: '',
          ...(statement !== undefined && {
            said: sign(null, completedStatement(statement, SIGNATURE), identity),
          }),
        })),
      signIdentity: async (messages: readonly Uint8Array[]) =>
        messages.map((message) => sign(null, message, identity)),
    },
    shares: {
      load: async (keys: readonly { keyId: string; session: string }[]) =>
        new Map(keys.map((key) => [key.keyId, { ...key, version: 1, wrappedDek: SIGNATURE }])),
    },
    nonces: options.nonces,
    records: {
      write: (entries: readonly RecordEntry[]) => commitOnce(tables, entries),
      findTrouble: async () => undefined,
    },
    limits: (options.limitRows ?? createLimitRows()).openLimits(party, now),
    requests: createRequestMemory({
      takenBefore,
      isHeld: (requestId) => isHeldOpen(ledger.state, requestId),
      ...(durable && { durable, ...durable }),
    }),
    prices: options.prices ?? NO_PRICE_FEED,
    recordedDenials: new BoundedMap(10_000),
    deniedBatches: new BoundedMap(10_000),
    verifyParty: createVerifyParty(ledger.state.parties),
    alarms: { raise: options.onAlarm ?? (() => undefined) },
    evidenceKeys: ledger.keys,
    logger: createLogger('test', 'silent'),
    signingLog: createSigningLog(options.logger ?? createLogger('test', 'silent')),
    now,
    leaseClock: now,
    async send(_to: unknown, message: PartyMessage) {
      if (message.kind === 'contribution') told = message;
    },
  } as unknown as PartyContext;
  return { self, context, told: () => told };
}

const borrowed = {
  take: async (_lead: unknown, count: number) =>
    Array.from({ length: count }, () => ({ slot: 0, serial: 0, commitment: SIGNATURE })),
  receive: () => undefined,
  forget: () => undefined,
};

/** What a gateway names as the head: an honest one its newest. */
export interface NamedHead {
  readonly state: Pick<LedgerBuilder['state'], 'seq' | 'headHash'>;
}

/** A batch of a gateway for two replicas, over the head that it names. */
export function batchFor(
  ledger: NamedHead,
  { lead, partner }: { readonly lead: SigningReplica; readonly partner: SigningReplica },
  items: readonly SignItem[],
): SignBatch {
  return {
    version: 1,
    batchId: randomBytes(16).toString('hex'),
    gatewayId: 'gateway',
    lead: lead.self,
    partner: partner.self,
    ledgerSeq: ledger.state.seq,
    ledgerHash: ledger.state.headHash,
    items,
  };
}

/** What came out of both replicas, and what the gateway is told; `isTold`: whether the lead hears its partner. */
export async function signTogether(
  ledger: NamedHead,
  pair: { readonly lead: SigningReplica; readonly partner: SigningReplica },
  items: readonly SignItem[],
  isTold = true,
): Promise<{ readonly outcomes: readonly SignOutcome[]; readonly letOut: readonly LetOut[] }> {
  const batch = batchFor(ledger, pair, items);
  await signAsPartner(pair.partner.context, borrowed, batch);
  const contribution = pair.partner.told();
  const given = contribution.parts.flatMap((part) =>
    part.kind === 'contributed' ? [letOutBy(pair.partner, part.receipt)] : [],
  );
  if (!isTold) return { outcomes: [], letOut: given };
  const outcomes = await signAsLead(pair.lead.context, batch, contribution);
  const signed = outcomes.flatMap((outcome) =>
    outcome.outcome === 'signed' && outcome.receipt.parties[0] === pair.lead.self.party
      ? [letOutBy(pair.lead, outcome.receipt)]
      : [],
  );
  return { outcomes, letOut: [...given, ...signed] };
}

function letOutBy(
  { self: { party, name } }: SigningReplica,
  { requestId, messageSha256 }: { readonly requestId: string; readonly messageSha256: string },
): LetOut {
  return { party, name, requestId, messageSha256 };
}

/** Rising numbers in memory, as a party's schema keeps them. */
export function createNoncesInMemory(): PartyContext['nonces'] {
  const last = new Map<string, bigint>();
  const above = (keyId: string) => last.get(keyId) ?? 0n;
  return {
    async take(keyId, floor) {
      const nonce = floor > above(keyId) ? floor : above(keyId) + 1n;
      last.set(keyId, nonce);
      return nonce;
    },
    async accept(keyId, nonce) {
      if (nonce <= above(keyId)) return false;
      last.set(keyId, nonce);
      return true;
    },
  };
}

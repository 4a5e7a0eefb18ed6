/**
 * One start of a party that is honest: the product's primary replica and both of its signing roles, over a model follower. What is
 * under way in it ends with it: nothing leaves a process that is gone.
 */
import { NO_PRICE_FEED } from '@countersign/runtime/prices/price-feed.js';
import type { PartyNumber } from '@countersign/core/parties.js';
import type { Replica } from '@countersign/runtime/jobs/replica.js';
import type { SignBatch } from '@countersign/runtime/jobs/sign-batch.js';
import type { SignOutcome } from '@countersign/runtime/jobs/sign-outcome.js';
import type { Logger } from '@countersign/runtime/process/logger.js';
import type { Contribution } from '../../signer/src/channel/messages.js';
import { primaryTrust } from '../../signer/src/party/head-trust.js';
import { openPrimary } from '../../signer/src/party/primary.js';
import { createRequestMemory } from '../../signer/src/requests/request-memory.js';
import type { RecordEntry } from '../../signer/src/records/record-entry.js';
import { createGivenContributions } from '../../signer/src/signing/given-contributions.js';
import type { PartyContext } from '../../signer/src/signing/party-context.js';
import { BoundedMap } from '@countersign/core/bounded-map.js';
import { createReleaseGate } from '../../signer/src/signing/release-gate.js';
import { signAsLead } from '../../signer/src/signing/sign-as-lead.js';
import { signAsPartner } from '../../signer/src/signing/sign-as-partner.js';
import type { ModelFollower } from './model-follower.js';
import { signAs, type ModelVault } from './model-vault.js';

export interface ModelParty {
  readonly self: Replica;
  readonly follower: ModelFollower;
  partner(batch: SignBatch): void;
  lead(batch: SignBatch, contribution: Contribution): void;
  /** The lead says that a batch is over. */
  finish(from: Replica, batchId: string): void;
  die(): void;
}

/** What the party does to the world. None of it is heard from a process that is gone. */
export interface PartyDeeds {
  /** A row for the ledger. */
  says(body: Uint8Array): void;
  contributes(to: Replica, batchId: string, contribution: Contribution): void;
  /** Results that are in the store, whoever is told of them. */
  commits(entries: readonly RecordEntry[]): void;
  tells(batch: SignBatch, outcomes: readonly SignOutcome[]): void;
}

export interface ModelPartyOptions {
  readonly vault: ModelVault;
  readonly self: Replica;
  readonly follower: ModelFollower;
  readonly newestRules: number;
  readonly deeds: PartyDeeds;
  /** Drops the rule that a freeze is acknowledged only when nothing older is under way. */
  readonly isAlwaysCleared: boolean;
  readonly now: () => number;
  /** What takes time: resolves at once, or when the world comes back to it. */
  hold(what: string): Promise<void>;
}

export function openModelParty(options: ModelPartyOptions): ModelParty {
  const { self, follower, now, hold, deeds, newestRules } = options;
  const gate = createReleaseGate();
  const given = createGivenContributions();
  const context = contextOf(options, { gate, given });
  let isAlive = true;
  const primary = openPrimary({
    party: self.party,
    newestRules,
    newestFreeze: follower.newestFreeze,
    follower,
    ledger: {
      async append(bodies) {
        if (isAlive) for (const body of bodies) deeds.says(body);
        return [];
      },
    },
    threads: { signIdentity: (messages) => signIdentity(self.party, messages, hold) },
    logger: QUIET,
    now,
    elapsed: now,
    isCleared: (seq) => options.isAlwaysCleared || (gate.oldestFrozen(follower.view) ?? seq) >= seq,
  });
  gate.onDone(primary.look);
  const borrowed = { take: async (_lead: Replica, count: number) => commitments(count) };
  return {
    self,
    follower,
    partner(batch) {
      signAsPartner(context, { ...borrowed, receive: ignore }, batch).catch(ignore);
    },
    lead(batch, contribution) {
      const tell = (outcomes: readonly SignOutcome[]) => {
        if (isAlive) deeds.tells(batch, outcomes);
      };
      // as for a gateway: where nothing could be recorded, nothing is told
      signAsLead(context, batch, contribution).then(tell, () => tell([]));
    },
    finish: (from, batchId) => given.finish(from, batchId),
    die() {
      isAlive = false;
      given.stop();
      void primary.stop();
    },
  };

  function contextOf(
    { vault }: ModelPartyOptions,
    ground: Pick<PartyContext, 'gate' | 'given'>,
  ): PartyContext {
    const context: Omit<PartyContext, 'threads' | 'shares' | 'nonces' | 'records' | 'limits'> = {
      ...ground,
      self,
      follower,
      trust: primaryTrust(follower),
      heads: { isSuperseded: () => false },
      requests: createRequestMemory({ takenBefore: 0 }),
      recordedDenials: new BoundedMap(10_000),
      deniedBatches: new BoundedMap(10_000),
      verifyParty: () => true,
      alarms: { raise: ignore },
      evidenceKeys: vault.keys,
      logger: QUIET,
      signingLog: { note: ignore },
      prices: NO_PRICE_FEED,
      now,
      leaseClock: now,
      async send(to, message) {
        if (!isAlive || message.kind !== 'contribution') return;
        deeds.contributes(to, message.batchId, message);
      },
    };
    const rest = {
      threads: threadsOf(hold),
      shares: { load: async (keys: { keyId: string }[]) => sharesOf(keys) },
      nonces: {},
      limits: { giveBack: async () => undefined }, // no rule of the model has one
      records: {
        async write(entries: readonly RecordEntry[]) {
          await hold('a commit');
          if (isAlive) deeds.commits(entries);
          return entries.map(() => undefined);
        },
      },
    };
    return { ...context, ...rest } as unknown as PartyContext;
  }
}

const ignore = () => undefined;
const QUIET = { warn: ignore, error: ignore, info: ignore, debug: ignore } as unknown as Logger;
const SIGNATURE = new Uint8Array(64);

async function signIdentity(
  party: PartyNumber,
  messages: readonly Uint8Array[],
  hold: ModelPartyOptions['hold'],
): Promise<Uint8Array[]> {
  await hold('a statement');
  return messages.map((message) => signAs(party, message));
}

/** The maths is another test's: here every contribution is good. */
function threadsOf(hold: ModelPartyOptions['hold']) {
  return {
    async partner(items: readonly unknown[]) {
      await hold('the maths of a partner');
      return items.map(() => ({ ok: true, contribution: new Uint8Array() }));
    },
    async lead(items: readonly unknown[]) {
      await hold('the maths of a lead');
      return items.map(() => ({ ok: true, signature: SIGNATURE, passphrase: '' }));
    },
    async signIdentity(messages: readonly unknown[]) {
      await hold('a tree');
      return messages.map(() => SIGNATURE);
    },
  };
}

function sharesOf(keys: readonly { keyId: string }[]) {
  return new Map(keys.map(({ keyId }) => [keyId, { keyId }]));
}

function commitments(count: number) {
  return Array.from({ length: count }, () => ({ slot: 0, serial: 0, commitment: SIGNATURE }));
}

/**
 * Party 2 gone bad as a lead: a replica with its real keys and its real code that remembers nothing. It asks its partners
 * for what it likes, as often as it likes, takes every contribution and keeps what comes of it for itself.
 */
import { randomBytes } from 'node:crypto';
import { startReplica, type Replica } from '@countersign/runtime/jobs/replica.js';
import { sealSignBatch, type SignBatch } from '@countersign/runtime/jobs/sign-batch.js';
import type { SignOutcome } from '@countersign/runtime/jobs/sign-outcome.js';
import type { Contribution } from '../../signer/dist/channel/messages.js';
import type { Limits } from '../../signer/dist/limits/limits.js';
import type { RequestMemory } from '../../signer/dist/requests/request-memory.js';
import { createCommitmentLender } from '../../signer/dist/signing/commitment-lender.js';
import { dispatchPartyMessage } from '../../signer/dist/signing/dispatch-party-message.js';
import { createLeadInbox, type LeadInbox } from '../../signer/dist/signing/lead-inbox.js';
import type { PartyContext } from '../../signer/dist/signing/party-context.js';
import { signAsLead } from '../../signer/dist/signing/sign-as-lead.js';
import { openRedisAttacker, type ForgedItem } from './attacker.ts';
import { openPartyInTest } from './party-in-test.ts';
import { signingContext } from './signing-in-test.ts';
import type { TestVault } from './test-vault.ts';

export interface ForgetfulLead {
  /** What it could make of the item with that partner; undefined when the partner told it nothing in time. */
  ask(partner: Replica, item: ForgedItem & { nonce?: bigint }): Promise<SignOutcome | undefined>;
  close(): Promise<void>;
}

/** For what both partners borrow ahead. */
const NONCE_SLOTS = 6_144;
const ANSWER_MS = 3_000;

/** It knows no request, and so none is known to it by another message. */
const NO_MEMORY: RequestMemory = {
  takesFrom: 0,
  refuse: () => undefined,
  recall: () => undefined,
  keep: async () => undefined,
  isGiven: () => false,
  give: () => undefined,
  adopt: () => undefined,
};

/** It counts nothing against limits, and finds room in every one. */
export const NO_COUNT: Limits = {
  take: async (_role, _partner, claims) => claims.map(() => true),
  giveBack: async () => undefined,
  roomOf: ({ limit }) => ({ left: limit }),
};

/** `limits`: as it keeps to them; absent: as everybody does. */
export async function openForgetfulLead(vault: TestVault, limits?: Limits): Promise<ForgetfulLead> {
  const self = startReplica(2, 'forgetful');
  const parts = await openPartyInTest(vault, self, NONCE_SLOTS);
  const context: PartyContext = {
    ...signingContext(parts, {
      write: async (entries) => entries.map(() => undefined), // nothing is on record
      findTrouble: async () => undefined,
      drain: async () => undefined,
    }),
    requests: NO_MEMORY,
    nonces: { take: async () => 0n, accept: async () => true },
    ...(limits !== undefined && { limits }),
  };
  const attacker = openRedisAttacker(vault.servers.redis.url);
  const settles = new Map<string, (outcome: SignOutcome) => void>();
  const inbox = createLeadInbox<Contribution>((batch, contribution) => {
    void signAsLead(context, batch, contribution).then(([outcome]) =>
      settles.get(batch.batchId)?.(outcome!),
    );
  }, Date.now);
  hearPartners(context, parts.channel, inbox);

  return {
    async ask(partner, { evidence, receivedAt = Date.now(), submission, nonce = 0n }) {
      const { view } = parts.follower;
      const item = { evidence, receivedAt, nonce, submission: submission ?? randomHex() };
      const batch: SignBatch = {
        version: 1,
        ...{ batchId: randomHex(), gatewayId: 'gateway-0', lead: self, partner },
        ...{ ledgerSeq: view.state.seq, ledgerHash: view.state.headHash, items: [item] },
      };
      const outcome = new Promise<SignOutcome | undefined>((resolve) => {
        const timer = setTimeout(() => resolve(undefined), ANSWER_MS);
        settles.set(batch.batchId, (said) => {
          clearTimeout(timer);
          resolve(said);
        });
      });
      inbox.addBatch(batch);
      const sealed = sealSignBatch(batch, parts.evidenceKeys).toString('base64');
      await attacker.addJob(partner, sealed);
      return outcome;
    },
    async close() {
      await attacker.close();
      await parts.close();
    },
  };
}

/** Lends commitments to whoever asks, and hears contributions. */
function hearPartners(
  { self, threads, logger, alarms, send }: PartyContext,
  channel: Awaited<ReturnType<typeof openPartyInTest>>['channel'],
  inbox: LeadInbox<Contribution>,
): void {
  const nothing = { receive: () => undefined, finish: () => undefined };
  const receivers = {
    ...{ self, logger, alarms, send, inbox, quotas: { admit: () => true } },
    lender: createCommitmentLender(threads, {
      slots: NONCE_SLOTS,
      self: self.party,
      now: Date.now,
    }),
    ...{ borrowed: nothing, given: nothing, vouching: nothing, ceremonies: nothing },
  };
  channel.onMessage((from, message) => dispatchPartyMessage(receivers, from, message));
}

function randomHex(): string {
  return randomBytes(16).toString('hex');
}

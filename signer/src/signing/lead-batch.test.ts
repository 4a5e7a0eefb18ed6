import { createHash, randomBytes } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { createEvidenceKeys } from '@countersign/core/evidence-key.js';
import { replyChannel } from '@countersign/runtime/jobs/names.js';
import { startReplica } from '@countersign/runtime/jobs/replica.js';
import type { SignBatch } from '@countersign/runtime/jobs/sign-batch.js';
import {
  openReply,
  retryMessage,
  type SignOutcome,
} from '@countersign/runtime/jobs/sign-outcome.js';
import type { Logger } from '@countersign/runtime/process/logger.js';
import { leadBatch, type LeadBatchDeps } from './lead-batch.js';

const BATCH = {
  batchId: '0b'.repeat(16),
  gatewayId: 'gateway-1',
  lead: startReplica(1, 'a'),
  partner: startReplica(2, 'a'),
  version: 1,
  ledgerSeq: 5,
  items: [{}, {}],
} as unknown as SignBatch;

const PROOF = { index: 0, size: 1, path: [], signature: Buffer.alloc(64, 9) };
const DENIED: SignOutcome = {
  outcome: 'denied',
  submission: '0c'.repeat(16),
  requestId: 'request',
  parties: [1, 2],
  errType: 'forbidden',
  reason: 'frozen',
  proofs: [PROOF, PROOF],
};
const RETRY: SignOutcome = {
  outcome: 'retry',
  reason: 'the fold is not current',
  nonce: 7n,
  isPartnerAtFault: false,
};
const CONTRIBUTION = { givenAt: 0, treeSignature: Buffer.alloc(64), parts: [] };

/** Stands in for a signature: as long as one, and of the message. */
const sha512 = (message: Uint8Array) => createHash('sha512').update(message).digest();

/** A lead whose signing the test decides; what it did to the world around it. */
function openLead(sign: LeadBatchDeps['sign'], change: Partial<LeadBatchDeps> = {}) {
  const evidenceKeys = createEvidenceKeys([randomBytes(32)]);
  const published: { channel: string; reply: Buffer }[] = [];
  const alarms: object[] = [];
  const deps: LeadBatchDeps = {
    evidenceKeys,
    logger: { error: (fields: object) => void alarms.push(fields) } as unknown as Logger,
    genesisHash: 'ab',
    sign,
    signIdentity: async (message) => Buffer.from(sha512(message)),
    publish: async (channel, reply) => published.push({ channel, reply }),
    finish: async () => undefined,
    ...change,
  };
  return {
    lead: () => leadBatch(deps, BATCH, CONTRIBUTION),
    published,
    alarms,
    told: () => openReply(published[0]!.reply, BATCH.gatewayId, evidenceKeys),
  };
}

describe('leading a batch', () => {
  it('tells the gateway one outcome per item, on its own channel', async () => {
    const { lead, published, alarms, told } = openLead(async () => [DENIED, DENIED]);
    await lead();
    expect(published.map(({ channel }) => channel)).toEqual([replyChannel('gateway-1')]);
    expect(told()).toEqual({
      version: 1,
      batchId: BATCH.batchId,
      outcomes: [
        { index: 0, outcome: DENIED },
        { index: 1, outcome: DENIED },
      ],
      retrySignature: Buffer.alloc(0),
    });
    expect(alarms).toEqual([]);
  });

  it('tells the partner that it is over, and not before the gateway was told', async () => {
    const order: string[] = [];
    const { lead } = openLead(async () => [DENIED, DENIED], {
      publish: async () => order.push('gateway'),
      finish: async ({ batchId, partner }) => void order.push(`${batchId} ${partner.party}`),
    });
    await lead();
    expect(order).toEqual(['gateway', `${BATCH.batchId} 2`]);
  });

  it('hands Redis both in one turn, in this order, and waits for both', async () => {
    const order: string[] = [];
    let confirm = () => undefined as void;
    const { lead } = openLead(async () => [DENIED, DENIED], {
      publish: () => {
        order.push('gateway');
        return new Promise<void>((resolve) => (confirm = resolve));
      },
      finish: async () => void order.push('partner'),
    });
    const led = lead().then(() => order.push('over'));
    await setImmediate();
    expect(order).toEqual(['gateway', 'partner']);
    confirm();
    await led;
    expect(order).toEqual(['gateway', 'partner', 'over']);
  });

  it('signs what is to be tried again: nothing else would prove it', async () => {
    const { lead, told } = openLead(async () => [DENIED, RETRY]);
    await lead();
    const { outcomes, retrySignature } = told();
    expect(outcomes[1]!.outcome).toEqual(RETRY);
    const message = retryMessage({ batchId: BATCH.batchId, outcomes }, 'ab');
    expect(retrySignature).toEqual(sha512(message));
  });

  it('has every item tried again when the records cannot be committed, and says why in the log', async () => {
    const failing = async () => {
      throw new Error('no connection');
    };
    const { lead, alarms, told } = openLead(failing);
    await lead();
    expect(told()?.outcomes.map(({ outcome }) => outcome)).toEqual(
      [0, 1].map(() => ({
        outcome: 'retry',
        reason: 'records not committed',
        nonce: 0n,
        isPartnerAtFault: false,
      })),
    );
    expect(alarms).toEqual([{ event: 'lead_failed', reason: 'Error: no connection' }]);
  });

  it('never rejects: an answer that cannot be sent is an alarm', async () => {
    const publish = async () => {
      throw new Error('Redis is away');
    };
    for (const change of [{ publish }, { finish: publish }]) {
      const { lead, alarms } = openLead(async () => [DENIED, DENIED], change);
      await expect(lead()).resolves.toBeUndefined();
      expect(alarms).toEqual([{ event: 'lead_failed', reason: 'Error: Redis is away' }]);
    }
  });
});

import { describe, expect, it } from '@jest/globals';
import { refuse } from '@countersign/core/errors.js';
import { digestOf, requestIdOf } from '@countersign/core/evidence.js';
import type { SignBatch, SignItem } from '@countersign/runtime/jobs/sign-batch.js';
import {
  EMPTY_STATE,
  type PendingRequest,
  type VaultState,
} from '@countersign/vault/state/state.js';
import { insertRow } from '@countersign/vault/state/table.js';
import { withCheckedTokens } from './checked-tokens.js';

const UNSIGNED = {
  ...{ method: 'POST', path: '/x', query: '', timestampMs: 5 },
  ...{ body: Buffer.alloc(0), nonce: Buffer.alloc(8), assertion: Buffer.alloc(0) },
};
const replica = { party: 1 as const, name: 'a', boot: '00' };

function batchOf(...credentials: [scheme: 'ApiKey' | 'Bearer', credential: string][]): SignBatch {
  const items = credentials.map(
    ([scheme, credential]) =>
      ({
        evidence: { ...UNSIGNED, scheme, credential },
        tokenVerified: true,
      }) as unknown as SignItem,
  );
  return {
    ...{ version: 1, batchId: '00', gatewayId: 'g', ledgerSeq: 1, ledgerHash: '00' },
    ...{ lead: replica, partner: replica, items },
  };
}

describe('the tokens of a batch', () => {
  const asked: string[] = [];
  let state: VaultState = EMPTY_STATE;
  const deps = {
    now: () => 5,
    follower: {
      get state() {
        return state;
      },
    },
    tokens: {
      refuse: async (token: string, now: number, usedAt = now) => {
        asked.push(`${token} at ${now}, used at ${usedAt}`);
        return token === 'good' ? undefined : refuse('unauthorized', 'no');
      },
    },
  };

  it('are judged here, whatever came with the job', async () => {
    const batch = batchOf(['Bearer', 'good'], ['Bearer', 'bad'], ['ApiKey', 'key']);
    const { items } = await withCheckedTokens(deps, batch);
    expect(items.map(({ tokenVerified }) => tokenVerified)).toEqual([true, false, true]);
    expect(asked).toEqual(['good at 5, used at 5', 'bad at 5, used at 5']);
  });

  it('of a provider that cannot be asked are neither good nor wrong', async () => {
    const tokens = { refuse: async () => refuse('gateway_timeout', 'try again') };
    const batch = batchOf(['Bearer', 'good'], ['ApiKey', 'key']);
    const { items } = await withCheckedTokens({ ...deps, tokens }, batch);
    expect(items[0]!.tokenVerified).toBe('unknown');
  });

  it('of a slow provider hold up nobody else: what is known in time counts', async () => {
    const tokens = {
      refuse: async (token: string) =>
        token === 'slow' ? new Promise<never>(() => {}) : undefined,
    };
    const batch = batchOf(['Bearer', 'slow'], ['Bearer', 'good'], ['ApiKey', 'key']);
    const startedAt = performance.now();
    const { items } = await withCheckedTokens({ ...deps, tokens }, batch);
    // a gateway gives a batch up after 1.5 s
    expect(performance.now() - startedAt).toBeLessThan(1_000);
    expect(items.map(({ tokenVerified }) => tokenVerified)).toEqual(['unknown', true, true]);
  });

  it('of what waited for approvals are judged as of when the ledger says that it was asked for', async () => {
    asked.length = 0;
    const batch = batchOf(['Bearer', 'good'], ['Bearer', 'good too']);
    const id = requestIdOf(digestOf(batch.items[0]!.evidence));
    const held = { id, status: 'released', createdAt: 2, signing: {} } as unknown as PendingRequest;
    state = { ...EMPTY_STATE, pendingRequests: insertRow(EMPTY_STATE.pendingRequests, held) };
    await withCheckedTokens(deps, batch);
    expect(asked).toEqual(['good at 5, used at 2', 'good too at 5, used at 5']);
    state = EMPTY_STATE;
  });

  it('of machines are none: nobody is asked', async () => {
    asked.length = 0;
    const batch = batchOf(['ApiKey', 'key']);
    expect(await withCheckedTokens(deps, batch)).toBe(batch);
    expect(asked).toEqual([]);
  });
});

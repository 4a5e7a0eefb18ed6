import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { createEvidenceKeys } from '@countersign/core/evidence-key.js';
import { evidenceKeyMessage } from '@countersign/core/evidence-seal.js';
import { decodeEntryBody } from '@countersign/vault/ledger/entry.js';
import { EMPTY_STATE, type EvidenceKeyRow } from '@countersign/vault/state/state.js';
import { vouchForEvidenceKeys } from './vouch-for-evidence-keys.js';

const NOW = 1_767_614_400_000;
const keys = createEvidenceKeys([randomBytes(32), randomBytes(32)]);
const [current, other] = keys.ids;

let appended: Uint8Array[];
let signed: Uint8Array[];
beforeEach(() => {
  appended = [];
  signed = [];
});

/** Party 2 starts with these rows in the ledger. */
async function start(evidenceKeys: readonly EvidenceKeyRow[], withdrawn: readonly string[] = []) {
  await vouchForEvidenceKeys({
    party: 2,
    held: keys.ids,
    withdrawn,
    follower: {
      state: { ...EMPTY_STATE, genesisHash: 'abcd', evidenceKeys },
      catchUp: async () => undefined,
    },
    ledger: {
      async append(bodies) {
        appended.push(...bodies);
        return [];
      },
    },
    threads: {
      async signIdentity(messages) {
        signed.push(...messages);
        return messages.map((_message, index) => Buffer.alloc(64, index + 1));
      },
    },
    now: () => NOW,
  });
  return appended.map((body) => decodeEntryBody(body));
}

describe('a party that starts', () => {
  it('vouches for each evidence key it holds and has not vouched for', async () => {
    const entries = await start([]);
    expect(entries).toEqual(
      [current, other!].map((evidenceKeyId, index) => ({
        appendedAt: NOW,
        content: {
          kind: 'evidence-key',
          statement: { party: 2, evidenceKeyId, signature: Buffer.alloc(64, index + 1) },
        },
      })),
    );
    expect(signed).toEqual(
      [current, other!].map((id) => evidenceKeyMessage({ party: 2, evidenceKeyId: id }, 'abcd')),
    );
  });

  it('says nothing twice, and does not take the statement of others for its own', async () => {
    const entries = await start([
      { id: current, heldBy: [1, 2, 3] },
      { id: other!, heldBy: [1, 3] },
    ]);
    expect(entries.map(({ content }) => content)).toMatchObject([
      { statement: { evidenceKeyId: other } },
    ]);
  });

  it('does not vouch for a key that it trusts no longer', async () => {
    const entries = await start([], [other!]);
    expect(entries.map(({ content }) => content)).toMatchObject([
      { statement: { evidenceKeyId: current } },
    ]);
  });

  it('appends nothing when there is nothing to say', async () => {
    await start(keys.ids.map((id) => ({ id, heldBy: [2] as const })));
    expect(appended).toEqual([]);
    expect(signed).toEqual([]);
  });
});

import { beforeEach, describe, expect, it } from '@jest/globals';
import { evidenceKeyWithdrawalMessage } from '@countersign/core/evidence-seal.js';
import { decodeEntryBody } from '@countersign/vault/ledger/entry.js';
import type { LedgerView } from '@countersign/vault/ledger/fold.js';
import { EMPTY_STATE, type EvidenceKeyRow } from '@countersign/vault/state/state.js';
import { withdrawEvidenceKeys } from './withdraw-evidence-keys.js';

const NOW = 1_767_614_400_000;
const [OLD, NEW] = ['00112233445566aa', '00112233445566bb'];
const all = [1, 2, 3] as const;

let appended: Uint8Array[];
let signed: Uint8Array[];
let warned: unknown[];
beforeEach(() => {
  appended = [];
  signed = [];
  warned = [];
});

/** Party 2, whose file calls the old key withdrawn, starts with these rows in the ledger. */
async function start(evidenceKeys: readonly EvidenceKeyRow[], rules = 2) {
  const state = { ...EMPTY_STATE, genesisHash: 'abcd', evidenceKeys };
  await withdrawEvidenceKeys({
    party: 2,
    withdrawn: [OLD],
    follower: { view: { state, rules } as LedgerView, catchUp: async () => undefined },
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
    logger: { warn: (fields: unknown) => void warned.push(fields) },
    now: () => NOW,
  });
  return appended.map((body) => decodeEntryBody(body));
}

const fresh = { id: NEW, heldBy: all };

describe('a party whose key file calls a key withdrawn', () => {
  it('says so, whatever another has said', async () => {
    const entries = await start([{ id: OLD, heldBy: all, withdrawnBy: [1] }, fresh]);
    expect(entries).toEqual([
      {
        appendedAt: NOW,
        content: {
          kind: 'evidence-key-withdrawal',
          statement: { party: 2, evidenceKeyId: OLD, signature: Buffer.alloc(64, 1) },
        },
      },
    ]);
    expect(signed).toEqual([
      evidenceKeyWithdrawalMessage({ party: 2, evidenceKeyId: OLD }, 'abcd'),
    ]);
    expect(warned).toEqual([]);
  });

  it.each([[[2]], [[1, 3]]] as const)(
    'says nothing where nothing is left to say: %j',
    async (withdrawnBy) => {
      expect(await start([{ id: OLD, heldBy: all, withdrawnBy }, fresh])).toEqual([]);
      expect([signed, warned]).toEqual([[], []]);
    },
  );

  it.each<[string, readonly EvidenceKeyRow[]]>([
    ['before there is another', [{ id: OLD, heldBy: all }]],
    ['that is not declared', [{ id: OLD, heldBy: [1, 2] }, fresh]],
  ])('tells its operator that it does not withdraw a key %s', async (_what, rows) => {
    expect(await start(rows)).toEqual([]);
    expect(warned).toMatchObject([{ event: 'withdrawal_not_said', key_id: OLD }]);
  });
});

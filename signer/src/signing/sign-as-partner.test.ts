/** What a partner keeps a freeze waiting with: what it gave its lead, where that can come to a signature. */
import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  createLedgerBuilder,
  type LedgerBuilder,
  type LedgerUser,
} from '../../../test/support/ledger-builder.js';
import {
  createNoncesInMemory,
  createSharedStore,
  openSigningReplica,
  signTogether,
  type SigningReplica,
} from '../../../test/support/signing-replicas.js';
import { createVerifyParty } from '@countersign/api/signed-tree.js';
import { digestOf, requestIdOf } from '@countersign/core/evidence.js';
import type { SignItem } from '@countersign/runtime/jobs/sign-batch.js';
import type { PartyMessage } from '../channel/messages.js';
import { plantPartnerTree } from './batch-tree.js';
import type { PartyContext } from './party-context.js';
import type { VaultState } from '@countersign/vault/state/state.js';
import { makeReadingKey } from '../../../test/support/venue-reading-key.js';

let ledger: LedgerBuilder;
let stranger: LedgerUser;
let keyId: string;
let lead: SigningReplica;
let partner: SigningReplica;
beforeEach(() => {
  ledger = createLedgerBuilder();
  stranger = ledger.addMachine('stranger', []);
  keyId = makeReadingKey(ledger, 'binance');
  const shared = { ledger, store: createSharedStore(), takenBefore: 0 };
  const open = (party: 1 | 2) =>
    openSigningReplica({ ...shared, party, name: 'a', nonces: createNoncesInMemory() });
  [lead, partner] = [open(1), open(2)];
});
afterEach(() => partner.context.given.stop());

const query = { channel: 'rest', method: 'GET', path: '/api/v3/account', query: '' };

/** What the partner of a batch says to each of its requests; its lead never answers. */
async function partsFor(...users: LedgerUser[]): Promise<string[]> {
  await signTogether(ledger, { lead, partner }, users.map(itemOf), false);
  return partner.told().parts.map(({ kind }) => kind);
}

function itemOf(user: LedgerUser): SignItem {
  return {
    submission: randomBytes(16).toString('hex'),
    receivedAt: ledger.now,
    nonce: 0n,
    evidence: ledger.evidenceOf(user, 'POST', `/v1/keys/${keyId}/sign`, { venue_request: query }),
  };
}

describe('a batch of which the lead says nothing more', () => {
  it('is under way where one part of it may come to a signature', async () => {
    expect(await partsFor(stranger, ledger.admin)).toEqual(['denied', 'contributed']);
    expect(partner.context.gate.oldest).toBe(ledger.state.seq);
  });

  it('keeps no freeze waiting where every part was refused', async () => {
    expect(await partsFor(stranger, stranger)).toEqual(['denied', 'denied']);
    expect(partner.context.gate.oldest).toBeUndefined();
  });
});

describe('what a partner gave, and no answer to it came', () => {
  const seen = (state: VaultState) => ({ state, optimistic: state });
  let given: number;
  beforeEach(async () => {
    given = ledger.state.seq;
    expect(await partsFor(stranger, ledger.admin)).toEqual(['denied', 'contributed']);
  });

  it.each([
    ['its key', () => `/v1/keys/freeze?key_ids=${keyId}`],
    ['its caller', () => `/v1/users/freeze?user_ids=${ledger.admin.id}`],
    ['its venue', () => '/v1/keys/freeze?venue_id=binance'],
    ['the system', () => '/v1/system/freeze'],
  ])('keeps a freeze waiting of %s', (_scope, path) => {
    const officer = ledger.addMachine('officer', ['freeze', 'unfreeze', 'manage_admin_policies']);
    expect(partner.context.gate.oldestFrozen(seen(ledger.state))).toBeUndefined();
    const before = ledger.state;
    ledger.must(officer, 'POST', path());
    expect(partner.context.gate.oldestFrozen(seen(ledger.state))).toBe(given);
    const pending = { state: before, optimistic: ledger.state };
    expect(partner.context.gate.oldestFrozen(pending)).toBe(given);
  });

  it('keeps no freeze waiting of another venue, or of who was refused', () => {
    ledger.must(ledger.admin, 'POST', '/v1/keys/freeze?venue_id=kraken');
    ledger.must(ledger.admin, 'POST', `/v1/users/freeze?user_ids=${stranger.id}`);
    expect(partner.context.gate.oldestFrozen(seen(ledger.state))).toBeUndefined();
    expect(partner.context.gate.oldest).toBe(given);
  });
});

describe('what a partner says of its parts', () => {
  const steps: string[] = [];
  let items: SignItem[];
  beforeEach(() => {
    steps.length = 0;
    items = [itemOf(stranger), itemOf(ledger.admin)];
  });

  /** `during`: what happens while the partner's records are committed. */
  async function tell(during: () => Promise<void> | void): Promise<void> {
    const { context } = partner;
    const watched = {
      ...context,
      threads: {
        ...context.threads,
        async signIdentity(messages: readonly Uint8Array[]) {
          steps.push('signed');
          return context.threads.signIdentity(messages);
        },
      },
      records: {
        ...context.records,
        async write(entries: Parameters<PartyContext['records']['write']>[0]) {
          await during();
          const known = await context.records.write(entries);
          steps.push('recorded');
          return known;
        },
      },
      async send(to: Parameters<PartyContext['send']>[0], message: PartyMessage) {
        steps.push('told');
        await context.send(to, message);
      },
    };
    await signTogether(ledger, { lead, partner: { ...partner, context: watched } }, items, false);
  }

  function isSignedAsTold(): boolean {
    const { parts, treeSignature } = partner.told();
    const requestIds = items.map(({ evidence }) => requestIdOf(digestOf(evidence)));
    const tree = plantPartnerTree({ parties: [1, 2], requestIds }, parts, ledger.state.genesisHash);
    return createVerifyParty(ledger.state.parties)(2, tree!.message, treeSignature);
  }

  it('is signed while it is committed, and told only then', async () => {
    await tell(async () => {
      while (!steps.includes('signed')) await new Promise(setImmediate);
    });
    expect(steps).toEqual(['signed', 'recorded', 'told']);
    expect(isSignedAsTold()).toBe(true);
  });

  it('is signed anew where a freeze came while it was committed', async () => {
    await tell(() => void ledger.must(ledger.admin, 'POST', `/v1/keys/freeze?key_ids=${keyId}`));
    expect(steps).toEqual(['signed', 'recorded', 'signed', 'told']);
    expect(partner.told().parts.map(({ kind }) => kind)).toEqual(['denied', 'denied']);
    expect(isSignedAsTold()).toBe(true);
  });

  it('is told nobody where it cannot be committed', async () => {
    const failing = tell(() => Promise.reject(new Error('the database is gone')));
    await expect(failing).rejects.toThrow('the database is gone');
    expect(steps).toEqual(['signed']);
  });
});

describe('a denial of a request that is tried again', () => {
  it('is recorded once, and again where the first record was not written', async () => {
    const written: string[] = [];
    let isAway = true;
    const { context } = partner;
    const { write } = context.records;
    const faulty: typeof write = async (entries) => {
      if (isAway) throw new Error('too late to commit');
      written.push(...entries.map(({ record }) => record.outcome));
      return write(entries);
    };
    Object.assign(context, { records: { ...context.records, write: faulty } });
    const item = itemOf(stranger);
    const tell = () => signTogether(ledger, { lead, partner }, [item, item], false);
    await expect(tell()).rejects.toThrow('too late');
    isAway = false;
    await tell();
    await tell();
    expect(written).toEqual(['denied']);
  });
});

describe('a share that does not open', () => {
  const refused = async (items: readonly unknown[]) =>
    items.map(() => ({ ok: false as const, reason: 'share' as const }));

  it.each(['lead', 'partner'] as const)(
    'is read anew for the next request by the %s',
    async (role) => {
      const forgotten: string[] = [];
      const { context } = role === 'lead' ? lead : partner;
      const changed = {
        ...context,
        threads: { ...context.threads, [role]: refused },
        shares: {
          ...context.shares,
          forget: (keyIds: readonly string[]) => void forgotten.push(...keyIds),
        },
      };
      const pair = {
        lead,
        partner,
        [role]: { ...(role === 'lead' ? lead : partner), context: changed },
      };
      await signTogether(ledger, pair, [itemOf(ledger.admin)]);
      expect(forgotten).toEqual([keyId]);
    },
  );
});

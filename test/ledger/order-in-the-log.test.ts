/** What comes first is told by places in the log alone, never by times: clocks may be wrong, and statements come late. */
import { beforeEach, describe, expect, it } from '@jest/globals';
import { digestOf, requestIdOf, type Evidence } from '@countersign/core/evidence.js';
import type { PartyNumber } from '@countersign/core/parties.js';
import { encodeEvidenceEntry } from '@countersign/vault/ledger/write-entry.js';
import { nextCountersignature } from '@countersign/vault/ledger/next-countersignature.js';
import { createLedgerBuilder, type LedgerBuilder } from '../support/ledger-builder.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

let ledger: LedgerBuilder;

beforeEach(() => {
  ledger = createLedgerBuilder();
});

const ask = (method: string, target: string, body?: unknown): Evidence =>
  ledger.evidenceOf(ledger.admin, method, target, body);

function appendUnjudged(evidence: Evidence): void {
  ledger.appendRow(encodeEvidenceEntry(ledger.now, evidence, ledger.keys));
}

/** Statements of two parties for the head, dated `after` ms from now. */
function speak(after = 0, parties: readonly PartyNumber[] = [1, 2]): void {
  for (const party of parties) {
    ledger.appendRow(ledger.countersignature(party, { at: ledger.now + after }));
  }
}

const delayed = (action: string) =>
  ledger.must(ledger.admin, 'POST', '/v1/admin-policies', {
    display_name: `slowly: ${action}`,
    action,
    effect: 'allow',
    subjects: { user_ids: [ledger.admin.id] },
    delay_s: 3_600,
  });

const statusOf = (evidence: Evidence) =>
  ledger.state.pendingRequests.rows.get(requestIdOf(digestOf(evidence)))?.status;

describe('a freeze', () => {
  interface Scope {
    readonly freeze: string;
    readonly unfreeze: string;
    isFrozen(): boolean;
  }
  const scopes: Record<string, () => Scope> = {
    system: () => ({
      freeze: '/v1/system/freeze',
      unfreeze: '/v1/system/unfreeze',
      isFrozen: () => ledger.state.systemFreeze !== null,
    }),
    user: () => {
      const { id } = ledger.addMachine('bot');
      return {
        freeze: `/v1/users/freeze?user_ids=${id}`,
        unfreeze: `/v1/users/unfreeze?user_ids=${id}`,
        isFrozen: () => ledger.state.users.rows.get(id)!.frozen !== null,
      };
    },
    key: () => {
      const body = { type: 'ed25519', display_name: 'key' };
      const id = ledger.must(ledger.admin, 'POST', '/v1/keys', body);
      return {
        freeze: `/v1/keys/freeze?key_ids=${id}`,
        unfreeze: `/v1/keys/unfreeze?key_ids=${id}`,
        isFrozen: () => ledger.state.keys.rows.get(id)!.frozen !== null,
      };
    },
    venue: () => ({
      freeze: '/v1/keys/freeze?venue_id=binance',
      unfreeze: '/v1/keys/unfreeze?venue_id=binance',
      isFrozen: () => ledger.state.frozenVenues.has('binance'),
    }),
    vault: () => {
      const id = ledger.must(ledger.admin, 'POST', '/v1/vaults', { display_name: 'desk' });
      return {
        freeze: `/v1/vaults/freeze?vault_ids=${id}`,
        unfreeze: `/v1/vaults/unfreeze?vault_ids=${id}`,
        isFrozen: () => ledger.state.vaults.rows.get(id)!.frozen !== null,
      };
    },
    wallet: () => {
      const vault = ledger.must(ledger.admin, 'POST', '/v1/vaults', { display_name: 'desk' });
      const path = `/v1/vaults/${vault}/wallets`;
      const id = ledger.must(ledger.admin, 'POST', path, { network_family: 'solana' });
      for (const party of [1, 2, 3] as const) {
        ledger.attest(party, ledger.state.wallets.rows.get(id)!.keyId);
      }
      const { address } = ledger.state.wallets.rows.get(id)!;
      return {
        freeze: `${path}/freeze?addresses=${address}`,
        unfreeze: `${path}/unfreeze?addresses=${address}`,
        isFrozen: () => ledger.state.wallets.rows.get(id)!.frozen !== null,
      };
    },
  };

  describe.each(Object.keys(scopes))('of a %s', (name) => {
    it('ends an unfreezing that waits, also where it repeats a freeze, in the same millisecond', () => {
      const { freeze, unfreeze, isFrozen } = scopes[name]!();
      delayed('unfreeze');
      ledger.must(ledger.admin, 'POST', freeze);
      const thaw = ask('POST', unfreeze);
      const again = ask('POST', freeze);
      // a hostile gateway appends both together, and the parties judge them at one time
      appendUnjudged(thaw);
      appendUnjudged(again);
      speak();
      expect(statusOf(thaw)).toBe('failed');
      ledger.now += 2 * HOUR;
      speak();
      expect(isFrozen()).toBe(true);
    });

    it('that lies before an unfreezing does not end it', () => {
      const { freeze, unfreeze, isFrozen } = scopes[name]!();
      delayed('unfreeze');
      ledger.must(ledger.admin, 'POST', freeze);
      const thaw = ask('POST', unfreeze);
      appendUnjudged(ask('POST', freeze));
      appendUnjudged(thaw);
      speak();
      ledger.now += 2 * HOUR;
      speak();
      expect([statusOf(thaw), isFrozen()]).toEqual(['applied', false]);
    });
  });

  it('of one key leaves the unfreezing of another alone', () => {
    const ids = ['a', 'b'].map((name) =>
      ledger.must(ledger.admin, 'POST', '/v1/keys', { type: 'ed25519', display_name: name }),
    );
    ledger.must(ledger.admin, 'POST', `/v1/keys/freeze?key_ids=${ids.join(',')}`);
    delayed('unfreeze');
    const thaw = ask('POST', `/v1/keys/unfreeze?key_ids=${ids[0]}`);
    ledger.appendEvidence(thaw);
    ledger.must(ledger.admin, 'POST', `/v1/keys/freeze?key_ids=${ids[1]}`);
    expect(statusOf(thaw)).toBe('delayed');
  });
});

describe('what takes away, and lies before the moment at which a change falls due', () => {
  let change: Evidence;

  beforeEach(() => {
    delayed('create_vaults');
    change = ask('POST', '/v1/vaults', { display_name: 'desk' });
    ledger.appendEvidence(change);
    ledger.now += HOUR - 10 * SECOND;
  });

  const cancel = () => ask('POST', `/v1/requests/${requestIdOf(digestOf(change))}/cancel`, {});
  const freeze = () => ask('POST', '/v1/system/freeze');

  it.each([
    ['a cancellation', cancel, 'cancelled'],
    ['a freeze of the system', freeze, 'delayed'],
  ])('wins: %s, though the statements that cover it come late', (_what, makes, status) => {
    appendUnjudged(makes());
    ledger.now += 20 * SECOND;
    speak();
    expect([statusOf(change), ledger.state.vaults.rows.size]).toEqual([status, 0]);
  });

  it.each([
    ['a cancellation', cancel, 'cancelled'],
    ['a freeze of the system', freeze, 'delayed'],
  ])('wins: %s, though the statements say only that the time has come', (_what, makes, status) => {
    const { seq } = ledger.rows.at(-1)!;
    const { hash } = ledger.rows.at(-1)!;
    appendUnjudged(makes());
    ledger.now += 20 * SECOND;
    for (const party of [1, 2] as const) {
      ledger.appendRow(ledger.countersignature(party, { seq, hash }));
    }
    expect([statusOf(change), ledger.state.vaults.rows.size]).toEqual(['delayed', 0]);
    speak();
    expect([statusOf(change), ledger.state.vaults.rows.size]).toEqual([status, 0]);
  });

  it('is the requester frozen: nothing takes effect before two parties have judged that', () => {
    const { seq, hash } = ledger.rows.at(-1)!;
    const helper = ledger.addMachine('helper', ['freeze']);
    const stop = ledger.evidenceOf(helper, 'POST', `/v1/users/freeze?user_ids=${ledger.admin.id}`);
    appendUnjudged(stop);
    ledger.now += HOUR;
    expect(ledger.view.optimistic.users.rows.get(ledger.admin.id)?.frozen).toBeDefined();
    for (const party of [1, 2] as const) {
      ledger.appendRow(ledger.countersignature(party, { seq, hash }));
    }
    expect(ledger.state.vaults.rows.size).toBe(0);
  });

  it('is nothing: the change takes effect at the statements that say so', () => {
    ledger.now += 20 * SECOND;
    speak();
    expect([statusOf(change), ledger.state.vaults.rows.size]).toEqual(['applied', 1]);
  });
});

describe('clocks of two parties that were ahead and are right again', () => {
  it('hold nothing up: what follows is dated by the statements at hand', () => {
    appendUnjudged(ask('POST', '/v1/vaults', { display_name: 'ahead' }));
    speak(4 * MINUTE);
    ledger.now += 3 * SECOND;
    const ahead = ledger.state.time;
    appendUnjudged(ask('POST', '/v1/vaults', { display_name: 'right again' }));
    speak();
    expect(ledger.state.time).toBe(ledger.now);
    const made = [...ledger.state.vaults.rows.values()].map(({ createdAt }) => createdAt);
    expect(made).toEqual([ahead, ledger.now]);
    // a list by time never goes back
    const listed = ledger.outcomes.map(({ listedAt }) => listedAt);
    expect(listed).toEqual(listed.toSorted((a, b) => a - b));
  });

  it('leave an approval window what it is', () => {
    const approver = ledger.addMachine('approver');
    ledger.must(ledger.admin, 'POST', '/v1/admin-policies', {
      display_name: 'asks',
      action: 'create_vaults',
      effect: 'allow',
      subjects: { user_ids: [ledger.admin.id] },
      approvals: { quorum: 1, user_ids: [approver.id], expires_in_s: 60 },
    });
    appendUnjudged(ask('POST', '/v1/user-groups', { display_name: 'ahead' }));
    speak(4 * MINUTE);
    ledger.now += 3 * SECOND;
    const held = ask('POST', '/v1/vaults', { display_name: 'desk' });
    ledger.appendEvidence(held);
    const id = requestIdOf(digestOf(held));
    const { digest } = ledger.state.pendingRequests.rows.get(id)!;
    ledger.now += 75 * SECOND;
    const path = `/v1/requests/${id}/approve`;
    const { refusal } = ledger.sendUnchecked(approver, 'POST', path, { digest });
    expect(refusal?.refused).toBe('resource_conflict');
    expect(ledger.state.vaults.rows.size).toBe(0);
  });

  it('leave an expiry in ten minutes in the future', () => {
    appendUnjudged(ask('POST', '/v1/user-groups', { display_name: 'an hour ahead' }));
    // stale by then, and void: but it dates nothing that follows
    speak(HOUR);
    const { publicKey } = ledger.addMachine('somebody');
    const outcome = ledger.sendUnchecked(ledger.admin, 'POST', '/v1/users', {
      type: 'machine',
      display_name: 'for ten minutes',
      public_key: Buffer.from(publicKey, 'base64').toString('base64url'),
      expires_at: new Date(ledger.now + 10 * MINUTE).toISOString(),
    });
    expect(outcome.refusal).toBeUndefined();
  });

  it('are corrected by a new statement over the same head, which takes the place of the one before', () => {
    appendUnjudged(ask('POST', '/v1/vaults', { display_name: 'desk' }));
    speak(2 * MINUTE, [1]);
    speak(0, [2]);
    expect(ledger.state.vaults.rows.size).toBe(0);
    const spoken = ledger.view.countersignatures.get(1);
    const statement = nextCountersignature(
      ledger.view,
      { party: 1, newestRules: 1, spoken },
      ledger.now,
    );
    expect(statement?.at).toBe(ledger.now);
    speak(0, [1]);
    expect(ledger.state.vaults.rows.size).toBe(1);
    expect(ledger.state.time).toBe(ledger.now);
  });
});

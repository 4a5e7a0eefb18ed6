/** A party is replaced: who must agree, what the old keys are worth afterwards, and when a key has new shares. */
import { randomUUID, sign } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { toHex } from '@countersign/core/bytes.js';
import { createVerifyParty, verifyPartiesOf } from '@countersign/api/signed-tree.js';
import { findOutcomeFault } from '@countersign/runtime/jobs/sign-outcome.js';
import { allPartiesOf } from '@countersign/vault/state/all-parties.js';
import { createFold } from '@countersign/vault/ledger/fold.js';
import {
  encodeCountersignature,
  encodeEvidenceEntry,
  encodeSuccessor,
} from '@countersign/vault/ledger/write-entry.js';
import { countersignatureMessage } from '@countersign/core/party-statements.js';
import { readSavedFold, writeSavedFold } from '@countersign/vault/snapshots/saved-fold.js';
import { stateHash } from '@countersign/vault/state/state-hash.js';
import { isRefreshing } from '@countersign/vault/state/share-refresh.js';
import { keysWithoutNewShares } from '@countersign/vault/views/parties-view.js';
import {
  createLedgerBuilder,
  testPrivateKey,
  testSecret,
  type LedgerBuilder,
} from '../support/ledger-builder.ts';
import {
  addRecipients,
  appendRefresh,
  confirmSuccessor,
  newHost,
  replaceParty3,
  signedRefresh,
  signedSuccessor,
} from '../support/party-facts.ts';
import { denied } from '../support/proven-outcomes.ts';

let ledger: LedgerBuilder;
beforeEach(() => {
  ledger = createLedgerBuilder();
});

const ask = (host = 'new', party = 3) =>
  ledger.send(ledger.admin, 'PUT', `/v1/system/parties/${party}`, newHost(host)).refusal?.message;

const refusalOf = (fact: ReturnType<typeof signedSuccessor>) =>
  confirmSuccessor(ledger, fact).refusal?.message;

const identityOf = (party: number) =>
  ledger.state.parties.find((row) => row.party === party)!.identityPublicKey;

function addKey(name: string): string {
  const id = ledger.must(ledger.admin, 'POST', '/v1/keys', {
    type: 'ed25519',
    display_name: name,
  });
  for (const party of [1, 2, 3] as const) ledger.attest(party, id);
  return id;
}

const share = (keyId: string, run = 'new') => ({
  keyId,
  session: testSecret(`session of ${run}`).toString('hex').slice(0, 32),
  transcriptHash: testSecret(`transcript of ${run}`),
});

const refreshed = (party: 1 | 2 | 3, keys: ReturnType<typeof share>[], key?: string) =>
  appendRefresh(ledger, signedRefresh(ledger, party, keys, key));

describe('a party is replaced', () => {
  it('once officers ask and the two other parties confirm, and not before', () => {
    const old = identityOf(3);
    expect(ask()).toBeUndefined();
    expect(refusalOf(signedSuccessor(ledger, 1))).toBeUndefined();
    expect(identityOf(3)).toBe(old);
    expect(ledger.state.successor?.confirmedBy).toEqual([1]);
    expect(refusalOf(signedSuccessor(ledger, 2))).toBeUndefined();
    expect(identityOf(3)).toBe(newHost('new').identity_public_key);
    expect(ledger.state.successor).toBeUndefined();
  });

  it('not by one party that confirms twice, nor by its own word', () => {
    ask();
    const first = signedSuccessor(ledger, 1);
    expect(refusalOf(first)).toBeUndefined();
    expect(refusalOf(first)).toMatch(/has confirmed it/);
    expect(refusalOf(signedSuccessor(ledger, 3))).toMatch(/own replacement/);
  });

  it('not by what another party signed, nor in the name of one', () => {
    ask();
    const forged = { ...signedSuccessor(ledger, 1), party: 2 } as const;
    expect(refusalOf(forged)).toMatch(/not signed by that party/);
  });

  it('not where nobody asked, and not by other keys than were asked for', () => {
    ask();
    const other = signedSuccessor(ledger, 1, { identityPublicKey: testSecret('another host') });
    expect(refusalOf(other)).toMatch(/nobody asked/);
    const elsewhere = signedSuccessor(ledger, 1, { replaced: 2 });
    expect(refusalOf(elsewhere)).toMatch(/nobody asked/);
  });

  it('not by a confirmation of an earlier request for the same keys', () => {
    ask();
    const early = [signedSuccessor(ledger, 1), signedSuccessor(ledger, 2)];
    expect(ask('another')).toBeUndefined();
    expect(ask('new')).toBeUndefined();
    for (const fact of early) expect(refusalOf(fact)).toMatch(/nobody asked/);
  });

  it('never by keys that are, or were, those of a party', () => {
    replaceParty3(ledger, 'new');
    expect(ask('new', 2)).toMatch(/those of a party/);
    const [old] = ledger.state.formerParties!;
    const again = {
      identity_public_key: old!.identityPublicKey,
      exchange_public_key: newHost('other').exchange_public_key,
    };
    const { refusal } = ledger.send(ledger.admin, 'PUT', '/v1/system/parties/1', again);
    expect(refusal?.message).toMatch(/those of a party/);
  });

  it('not beside another whose new host has no shares yet: keys would be lost', () => {
    const id = addKey('key');
    replaceParty3(ledger, 'new');
    expect(ask('other', 2)).toMatch(/party 3 still waits/);
    expect(ask('newer', 3)).toBeUndefined();
    for (const party of [1, 2] as const) refreshed(party, [share(id)]);
    refreshed(3, [share(id)], 'host new');
    expect(ask('other', 2)).toBeUndefined();
  });

  it('only by who may change settings of the system', () => {
    const bot = ledger.addMachine('bot');
    const { refusal } = ledger.send(bot, 'PUT', '/v1/system/parties/3', newHost('of the bot'));
    expect(refusal?.refused).toBe('forbidden');
  });
});

const headOf = (place: number) => {
  const { seq, hash } = ledger.rows[place - 1]!;
  return { seq, hash };
};

/** The statement of party 3 by whichever key, for the newest row. */
function countersignedBy(key: string): Buffer {
  const { seq, hash } = ledger.rows.at(-1)!;
  const statement = { party: 3, seq, hash, at: ledger.now, rules: 1, newestRules: 1 } as const;
  const message = countersignatureMessage(statement, ledger.state.genesisHash);
  const signature = sign(null, message, testPrivateKey(key));
  return encodeCountersignature(ledger.now, { ...statement, signature });
}

describe('the old keys of a replaced party', () => {
  it('judge nothing any more, neither by what they said before nor by what they say now', () => {
    ledger.appendRow(ledger.countersignature(3));
    replaceParty3(ledger, 'new');
    expect(ledger.view.countersignatures.has(3)).toBe(false);
    const [outcome] = ledger.appendRow(countersignedBy('party 3'));
    expect(outcome?.refusal?.message).toMatch(/not signed by that party/);
    const [accepted] = ledger.appendRow(countersignedBy('host new'));
    expect(accepted?.refusal).toBeUndefined();
  });

  it('do not judge what they countersigned together with their own replacement', () => {
    ask();
    confirmSuccessor(ledger, signedSuccessor(ledger, 1));
    const before = ledger.rows.length;
    // all three statements cover the second confirmation: two of them judge it, and the third is void
    const settled = confirmSuccessor(ledger, signedSuccessor(ledger, 2));
    expect(settled.refusal).toBeUndefined();
    expect(ledger.rows.length).toBe(before + 3);
    const { seq, hash } = ledger.rows[before]!;
    const [late] = ledger.appendRow(ledger.countersignature(3, { seq, hash }));
    expect(late?.refusal?.message).toMatch(/not signed by that party/);
  });

  it('judge nothing more with a third party, once what they countersigned has replaced them', () => {
    ask();
    confirmSuccessor(ledger, signedSuccessor(ledger, 1));
    ledger.appendRow(encodeSuccessor(ledger.now, signedSuccessor(ledger, 2)));
    const second = ledger.rows.at(-1)!;
    const body = { display_name: 'Later' };
    const later = ledger.evidenceOf(ledger.admin, 'POST', '/v1/vaults', body);
    ledger.appendRow(encodeEvidenceEntry(ledger.now, later, ledger.keys));
    const { now } = ledger;
    const { seq, hash } = second;
    ledger.appendRow(ledger.countersignature(1, { seq, hash }));
    // parties 1 and 2 do not agree about the time, and party 3 agrees with both
    ledger.appendRow(ledger.countersignature(2, { ...headOf(seq + 1), at: now + 100_000 }));
    ledger.appendRow(ledger.countersignature(3, { ...headOf(seq + 1), at: now + 50_000 }));
    expect(identityOf(3)).toBe(newHost('new').identity_public_key);
    expect(ledger.view.pending).toHaveLength(1);
  });

  it('count for receipts over earlier heads alone', () => {
    replaceParty3(ledger, 'new');
    const { seq } = ledger.state;
    const message = Buffer.from('a tree of receipts');
    const verify = createVerifyParty(allPartiesOf(() => ledger.state)());
    const isGood = (key: string, head: number) =>
      verify(3, message, sign(null, message, testPrivateKey(key)), { seq: head });
    for (const again of [1, 2]) {
      expect([again, isGood('party 3', seq - 1)]).toEqual([again, true]);
      expect(isGood('party 3', seq)).toBe(false);
      expect(isGood('host new', seq)).toBe(true);
    }
  });

  it('deny nothing that was asked for since, with whichever second party', () => {
    replaceParty3(ledger, 'new');
    const { genesisHash, time } = ledger.state;
    const verifyParty = verifyPartiesOf(allPartiesOf(() => ledger.state));
    const prover = {
      genesisHash,
      sign: (party: number, message: Uint8Array) =>
        sign(null, message, testPrivateKey(`party ${party}`)),
    };
    const requestId = randomUUID();
    const request = { requestId, submission: '00'.repeat(16) };
    for (const parties of [
      [1, 3],
      [3, 2],
    ] as const) {
      const outcome = denied(request, prover, { parties });
      const faultOf = (when: { readonly askedAt?: number }) =>
        findOutcomeFault(outcome, requestId, { genesisHash, verifyParty, ...when });
      expect(faultOf({ askedAt: time - 1 })).toBeUndefined();
      for (const when of [{ askedAt: time }, { askedAt: time + 1 }, {}]) {
        expect(faultOf(when)).toBe('was not signed by party 3');
      }
    }
  });

  it('count for nothing that names neither a head nor a time', () => {
    replaceParty3(ledger, 'new');
    const message = Buffer.from('the parts of a batch');
    const verify = createVerifyParty(allPartiesOf(() => ledger.state)());
    const isGood = (key: string) => verify(3, message, sign(null, message, testPrivateKey(key)));
    expect([isGood('party 3'), isGood('host new')]).toEqual([false, true]);
  });

  it('take what rested on them with them: recipients of imports and runs that made keys', () => {
    addRecipients(ledger, 'first');
    const id = ledger.must(ledger.admin, 'POST', '/v1/keys', {
      type: 'ed25519',
      display_name: 'under way',
    });
    ledger.attest(3, id);
    ledger.attest(1, id);
    replaceParty3(ledger, 'new');
    expect(ledger.state.importRecipients.map(({ party }) => party)).toEqual([1, 2]);
    expect(ledger.state.keys.rows.get(id)!.attestations).toEqual([]);
    ledger.attest(1, id);
    ledger.attest(2, id);
    expect(ledger.attest(3, id).refusal?.message).toMatch(/not signed by that party/);
    expect(ledger.state.keys.rows.get(id)!.status).toBe('generating');
  });
});

describe('new shares', () => {
  it('are due for every key that can sign, and for no other', () => {
    const [kept, destroyed] = [addKey('kept'), addKey('destroyed')];
    ledger.must(ledger.admin, 'POST', `/v1/keys/${destroyed}/destroy`);
    replaceParty3(ledger, 'new');
    expect(keysWithoutNewShares(ledger.state).map(({ id }) => id)).toEqual([kept]);
  });

  it('are those of one run that all three hold', () => {
    const id = addKey('key');
    replaceParty3(ledger, 'new');
    const { session } = ledger.state.keys.rows.get(id)!;
    refreshed(1, [share(id)]);
    refreshed(2, [share(id)]);
    refreshed(3, [share(id, 'another run')], 'host new');
    expect(ledger.state.keys.rows.get(id)!.session).toBe(session);
    const { subject } = refreshed(3, [share(id)], 'host new');
    expect(subject?.keyIds).toEqual([id]);
    expect(ledger.state.keys.rows.get(id)!.session).toBe(share(id).session);
    expect(isRefreshing(ledger.state)).toBe(false);
  });

  it('are nobody else’s word', () => {
    const id = addKey('key');
    replaceParty3(ledger, 'new');
    expect(refreshed(3, [share(id)]).refusal?.message).toMatch(/not signed by that party/);
    refreshed(1, [share(id)]);
    const stale = signedRefresh(ledger, 2, [share(id)]);
    replaceParty3(ledger, 'newer');
    expect(appendRefresh(ledger, stale).refusal?.message).toMatch(/another refresh/);
    // what party 1 said belonged to the refresh before
    for (const party of [2, 3] as const) refreshed(party, [share(id)], `host newer`);
    expect(ledger.state.refreshedBy!.get(id)?.map(({ party }) => party)).toEqual([3]);
  });

  it('for a key that was destroyed meanwhile are void, and it holds up nothing', () => {
    const [gone, kept] = [addKey('gone'), addKey('kept')];
    replaceParty3(ledger, 'new');
    ledger.must(ledger.admin, 'POST', `/v1/keys/${gone}/destroy`);
    for (const party of [1, 2] as const) refreshed(party, [share(gone), share(kept)]);
    refreshed(3, [share(gone), share(kept)], 'host new');
    expect(ledger.state.keys.rows.get(gone)!.session).not.toBe(share(gone).session);
    expect(isRefreshing(ledger.state)).toBe(false);
  });

  it('without a replacement are for officers to ask for, one refresh after another', () => {
    const id = addKey('key');
    const path = '/v1/system/shares/refresh';
    const request = { dealers: [1, 2] };
    expect(ledger.send(ledger.admin, 'POST', path, { dealers: [2, 1] }).refusal).toBeDefined();
    expect(ledger.send(ledger.admin, 'POST', path, { dealers: [2, 2] }).refusal).toBeDefined();
    expect(ledger.send(ledger.admin, 'POST', path, request).refusal).toBeUndefined();
    expect(ledger.send(ledger.admin, 'POST', path, request).refusal?.message).toMatch(/still wait/);
    for (const party of [1, 2, 3] as const) refreshed(party, [share(id)]);
    expect(ledger.state.refresh).toEqual({ number: 1, dealers: [1, 2], successor: null });
    expect(ledger.send(ledger.admin, 'POST', path, request).refusal).toBeUndefined();
  });

  it('that a dealer cannot make for lack of an old share are made without it, once it is replaced', () => {
    const id = addKey('key');
    const ask = (dealers: number[]) =>
      ledger.send(ledger.admin, 'POST', '/v1/system/shares/refresh', { dealers }).refusal?.message;
    expect(ask([1, 3])).toBeUndefined();
    expect(ask([1, 2])).toMatch(/still wait/);
    replaceParty3(ledger, 'new');
    expect(ledger.state.refresh).toEqual({ number: 2, dealers: [1, 2], successor: 3 });
    for (const party of [1, 2] as const) refreshed(party, [share(id)]);
    refreshed(3, [share(id)], 'host new');
    expect(isRefreshing(ledger.state)).toBe(false);
  });
});

describe('a fold', () => {
  it('that begins anew, or from a saved state, knows the same parties', () => {
    const id = addKey('key');
    addKey('other');
    replaceParty3(ledger, 'new');
    refreshed(1, [share(id)]);
    const again = createFold({ keys: ledger.keys });
    again.advance(ledger.rows);
    expect(stateHash(again.view.state)).toBe(stateHash(ledger.state));
    const saved = readSavedFold(writeSavedFold(again.save()!));
    expect(stateHash(saved.state)).toBe(stateHash({ ...ledger.state }));
    expect(saved.countersignatures.has(3)).toBe(false);
    expect(saved.state.keysToRefresh).toEqual(ledger.state.keysToRefresh);
    expect(toHex(ledger.rows.at(-1)!.hash)).toBe(ledger.state.headHash);
  });
});

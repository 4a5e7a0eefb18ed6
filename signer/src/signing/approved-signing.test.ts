/** Signatures that a rule has wait for approvals: what two parties sign, over the ledger that each of them folds. */
import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { digestOf, requestIdOf, type Evidence } from '@countersign/core/evidence.js';
import { toHex } from '@countersign/core/bytes.js';
import { encodeEvidenceEntry } from '@countersign/vault/ledger/write-entry.js';
import { PARTY_NUMBERS, type PartyNumber } from '@countersign/core/parties.js';
import { heldEvidence } from '@countersign/vault/operations/held-evidence.js';
import { credentialMark } from '@countersign/vault/policy/approvals.js';
import { NOT_HELD } from '@countersign/vault/policy/released-approvals.js';
import { RELEASE_LIFE_MS } from '@countersign/vault/policy/approvals.js';
import type { PendingRequest, VaultState } from '@countersign/vault/state/state.js';
import { replaceRow } from '@countersign/vault/state/table.js';
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
  type SharedStore,
  type SigningReplica,
} from '../../../test/support/signing-replicas.js';
import type { RequestMessage, TimedRequest } from '../requests/request-memory.js';
import { createLimitRows, type LimitRows } from '../../../test/support/limit-rows.js';
import {
  addPerson,
  evidenceOfPerson,
  TEST_PASSKEYS,
  type LedgerPerson,
} from '../../../test/support/person.js';
import { makeVenueKey } from '../../../test/support/venue-reading-key.js';

let ledger: LedgerBuilder;
let bot: LedgerUser;
let ann: LedgerUser;
let ben: LedgerUser;
let cat: LedgerUser;
let keyId: string;
let policyId: string;
let store: SharedStore;
let replicas: Map<PartyNumber, SigningReplica>;
let limitRows: LimitRows;

/** Large withdrawals need two of three; trades are nobody's business. */
const rulesWith = (quorum: number, approvers: readonly LedgerUser[]) => [
  {
    display_name: 'Trade',
    when: { operation_classes: ['trade', 'read'], initiators: { user_ids: [bot.id] } },
    then: 'allow',
  },
  {
    display_name: 'After approvals',
    when: {
      operation_classes: ['withdraw'],
      destinations: ['bc1qours'],
      initiators: { user_ids: [bot.id] },
    },
    then: { require_approvals: { quorum, user_ids: approvers.map(({ id }) => id) } },
  },
];

beforeEach(() => {
  ledger = createLedgerBuilder();
  [bot, ann, ben, cat] = ['bot', 'ann', 'ben', 'cat'].map((name) =>
    ledger.addMachine(name, []),
  ) as [LedgerUser, LedgerUser, LedgerUser, LedgerUser];
  ({ keyId, policyId } = makeVenueKey(ledger, 'binance', rulesWith(2, [bot, ann, ben, cat])));
  store = createSharedStore();
  limitRows = createLimitRows();
  replicas = new Map(PARTY_NUMBERS.map((party) => [party, startReplica(party)]));
  ledger.now += 5_000;
});

const nonces = new Map(PARTY_NUMBERS.map((party) => [party, createNoncesInMemory()]));

function startReplica(party: PartyNumber): SigningReplica {
  const takenBefore = ledger.now;
  return openSigningReplica({
    ...{ party, name: 'a', ledger, store, takenBefore, limitRows },
    nonces: nonces.get(party)!,
  });
}

const restartAll = () => PARTY_NUMBERS.forEach((party) => replicas.set(party, startReplica(party)));

const withdrawal = (amount = '1', address = 'bc1qours') => ({
  venue_request: {
    channel: 'rest',
    method: 'POST',
    path: '/sapi/v1/capital/withdraw/apply',
    query: `coin=BTC&address=${address}&amount=${amount}`,
  },
});

interface Held {
  readonly evidence: Evidence;
  readonly id: string;
}

const evidenceOf = (body: object = withdrawal(), user = bot) =>
  ledger.evidenceOf(user, 'POST', `/v1/keys/${keyId}/sign`, body);

function hold(evidence = evidenceOf()): Held {
  expect(ledger.appendEvidence(evidence).refusal).toBeUndefined();
  return { evidence, id: requestIdOf(digestOf(evidence)) };
}

const rowOf = (id: string): PendingRequest => ledger.state.pendingRequests.rows.get(id)!;

const approve = (user: LedgerUser, id: string, body: object = {}) =>
  ledger.send(user, 'POST', `/v1/requests/${id}/approve`, { digest: rowOf(id).digest, ...body });

/** Two parties are asked, as a gateway asks that has just received it. */
async function signNow(evidence: Evidence, lead: PartyNumber = 1, partner: PartyNumber = 2) {
  ledger.now += 100;
  const submission = randomBytes(16).toString('hex');
  const item = { submission, receivedAt: ledger.now, nonce: 0n, evidence };
  const pair = { lead: replicas.get(lead)!, partner: replicas.get(partner)! };
  const { outcomes, letOut } = await signTogether(ledger, pair, [item]);
  return { outcome: outcomes[0]!, letOut };
}

describe('a signature that two have approved', () => {
  it('is given, with a receipt that both parties made of their own counting', async () => {
    const { evidence, id } = hold();
    approve(ann, id);
    const last = approve(cat, id);
    expect(rowOf(id)).toMatchObject({ status: 'released', releasedAt: last.at });
    const { outcome } = await signNow(evidence);
    if (outcome.outcome !== 'signed') throw new Error(JSON.stringify(outcome));
    expect(outcome.receipt.approvals).toEqual(
      rowOf(id).given.map(({ userId, entryHash }) => ({ userId, entryHash })),
    );
    expect(outcome.receipt.approvals?.map(({ userId }) => userId)).toEqual([ann.id, cat.id]);
    expect(outcome.receipt.approvals?.[1]?.entryHash).toBe(toHex(last.hash));
    // what it tells the venue is of now, not of when it was asked for
    expect(outcome.receipt.signedAt).toBe(ledger.now);
  });

  it('is asked for again with the bytes that the ledger keeps, hours later', async () => {
    const { evidence, id } = hold();
    ledger.now += 5 * 3_600_000;
    approve(ann, id);
    approve(ben, id);
    const kept = heldEvidence(rowOf(id), ledger.keys)!;
    expect(digestOf(kept)).toEqual(digestOf(evidence));
    expect((await signNow(kept)).outcome).toMatchObject({ outcome: 'signed' });
  });

  it('needs no approval where a rule allows it by itself', async () => {
    const order = { venue_request: { channel: 'rest', method: 'GET', path: '/api/v3/account' } };
    const evidence = evidenceOf(order);
    const { outcome } = await signNow(evidence);
    expect(outcome).toMatchObject({ outcome: 'signed' });
    if (outcome.outcome === 'signed') expect(outcome.receipt.approvals).toBeUndefined();
  });
});

describe('nothing is signed', () => {
  const isSigned = async (evidence: Evidence) => {
    const { letOut } = await signNow(evidence);
    return letOut.length > 0;
  };

  it('that was never held, or has not its approvals', async () => {
    const fresh = evidenceOf();
    expect(await isSigned(fresh)).toBe(false);
    const { evidence, id } = hold(fresh);
    expect(await isSigned(evidence)).toBe(false);
    approve(ann, id);
    expect(await isSigned(evidence)).toBe(false);
    // what was asked for too early does not stand in the way
    approve(ben, id);
    expect(await isSigned(evidence)).toBe(true);
  });

  it('by the approval of the requester, of a stranger, or one that is forged or replayed', async () => {
    const [one, other] = [hold(), hold(evidenceOf(withdrawal('2')))];
    const mallory = ledger.addMachine('mallory', ['view_system_resources']);
    expect(approve(bot, one.id).refusal).toMatchObject({ refused: 'forbidden' });
    expect(approve(mallory, one.id).refusal).toMatchObject({ refused: 'forbidden' });
    const path = (id: string) => `/v1/requests/${id}/approve`;
    const given = ledger.evidenceOf(ann, 'POST', path(other.id), {
      digest: rowOf(other.id).digest,
    });
    const moved = { ...given, path: path(one.id) };
    const forged = { ...given, credential: ben.apiKey };
    for (const evidence of [moved, forged]) {
      expect(ledger.appendEvidence(evidence).refusal).toMatchObject({ refused: 'unauthorized' });
    }
    expect(ledger.appendEvidence(given).refusal).toBeUndefined();
    expect(ledger.appendEvidence(given).refusal).toMatchObject({ refused: 'unauthorized' });
    const digest = rowOf(other.id).digest;
    expect(approve(ben, one.id, { digest }).refusal).toMatchObject({
      refused: 'resource_conflict',
    });
    expect(rowOf(one.id).given).toEqual([]);
    expect(rowOf(other.id)).toMatchObject({ status: 'waiting', given: [{ userId: ann.id }] });
    for (const { evidence } of [one, other]) expect(await isSigned(evidence)).toBe(false);
  });

  it('where an approver is frozen, gone or has another key by the time of signing', async () => {
    const spoil = [
      () => ledger.must(ledger.admin, 'POST', `/v1/users/freeze?user_ids=${ann.id}`),
      () => ledger.must(ledger.admin, 'PUT', `/v1/users/${ben.id}`, { rotate_api_key: true }),
    ];
    for (const [index, after] of spoil.entries()) {
      const { evidence, id } = hold(evidenceOf(withdrawal(`${index + 1}`)));
      if (index === 0) approve(ann, id);
      else approve(cat, id);
      approve(ben, id);
      expect(rowOf(id).status).toBe('released');
      after();
      expect(await isSigned(evidence)).toBe(false);
    }
  });

  it('where the rule asks for more by then, for others, or for nothing any more', async () => {
    const changed = [rulesWith(3, [ann, ben, cat]), rulesWith(2, [cat, ben]), []];
    for (const rules of changed) {
      const { evidence, id } = hold(evidenceOf(withdrawal(`${1 + rules.length}`)));
      approve(ann, id);
      approve(ben, id);
      expect(rowOf(id).status).toBe('released');
      const path = `/v1/signing-policies/${policyId}`;
      const { version, rules: before } = ledger.state.signingPolicies.rows.get(policyId)!;
      const asking = before.find(({ then }) => typeof then !== 'string')!;
      const kept = rules.map((rule) =>
        typeof rule.then === 'string' ? rule : { ...rule, id: asking.id },
      );
      const allowing = [{ ...rulesWith(2, [ann])[1]!, then: 'allow' }];
      const body = { display_name: 'x', version, rules: kept.length > 0 ? kept : allowing };
      ledger.must(ledger.admin, 'PUT', path, body);
      expect(await isSigned(evidence)).toBe(false);
      const reset = {
        display_name: 'x',
        version: version + 1,
        rules: rulesWith(2, [ann, ben, cat]),
      };
      ledger.must(ledger.admin, 'PUT', path, reset);
    }
  });

  it('of a frozen key, whoever approved it; and the last approval waits for the freeze to end', async () => {
    const { evidence, id } = hold();
    approve(ann, id);
    const freeze = (what: string) =>
      ledger.must(ledger.admin, 'POST', `/v1/keys/${what}?key_ids=${keyId}`);
    freeze('freeze');
    expect(approve(ben, id).refusal).toMatchObject({ message: 'the key is frozen' });
    freeze('unfreeze');
    approve(ben, id);
    freeze('freeze');
    expect(await isSigned(evidence)).toBe(false);
  });

  it('once it is rejected, cancelled or expired', async () => {
    const [rejected, cancelled, expired] = ['1', '2', '3'].map((amount) =>
      hold(evidenceOf(withdrawal(amount))),
    ) as [Held, Held, Held];
    ledger.must(ann, 'POST', `/v1/requests/${rejected.id}/reject`, {});
    ledger.must(bot, 'POST', `/v1/requests/${cancelled.id}/cancel`, {});
    approve(ann, expired.id);
    ledger.now += 24 * 3_600_000;
    for (const { id, evidence } of [rejected, cancelled, expired]) {
      expect(approve(ben, id).refusal).toMatchObject({ refused: 'resource_conflict' });
      expect(await isSigned(evidence)).toBe(false);
    }
  });
});

describe('what is decided at the moment of signing', () => {
  const letOutOf = async ({ evidence }: Held) => (await signNow(evidence)).letOut;

  it('is the rule: an approval under another one counts for nothing', async () => {
    const [trading, asking] = rulesWith(1, [ann, ben]);
    const small = { ...asking!, when: { ...asking!.when, amount: { max: '1' } } };
    const { version } = ledger.state.signingPolicies.rows.get(policyId)!;
    const body = { display_name: 'x', version, rules: [trading, small, asking] };
    ledger.must(ledger.admin, 'PUT', `/v1/signing-policies/${policyId}`, body);
    const { rules } = ledger.state.signingPolicies.rows.get(policyId)!;
    for (const [rule, signed] of [
      [rules[1]!, 0],
      [rules[2]!, 2],
    ] as const) {
      const held = hold(evidenceOf(withdrawal('5')));
      approve(ann, held.id, { rule_ids: [rule.id] });
      expect(rowOf(held.id).status).toBe('released');
      expect(await letOutOf(held)).toHaveLength(signed);
    }
  });

  it('is what was seen beyond the head as well: an approver who is being frozen does not count', async () => {
    const held = hold();
    approve(ann, held.id);
    approve(ben, held.id);
    const path = `/v1/users/freeze?user_ids=${ann.id}`;
    const freeze = ledger.evidenceOf(ledger.admin, 'POST', path);
    ledger.appendRow(encodeEvidenceEntry(ledger.now, freeze, ledger.keys));
    expect(ledger.state.users.rows.get(ann.id)?.frozen).toBeNull();
    expect(await letOutOf(held)).toEqual([]);
  });

  it('is the time: a minute after its release nobody signs what nobody has signed', async () => {
    for (const [late, signed] of [
      [-1_000, 2],
      [0, 0],
    ] as const) {
      const held = hold(evidenceOf(withdrawal(`${2 + signed}`)));
      approve(ann, held.id);
      approve(ben, held.id);
      ledger.now = rowOf(held.id).releasedAt! + RELEASE_LIFE_MS + late;
      expect(await letOutOf(held)).toHaveLength(signed);
    }
  });

  it('is when the process started: a primary replica takes nothing that was released before', async () => {
    const held = hold();
    approve(ann, held.id);
    approve(ben, held.id);
    ledger.now += 2_000;
    const durable = { add: async () => undefined, earlier: [] };
    for (const party of PARTY_NUMBERS) {
      const takenBefore = ledger.now;
      const options = { party, name: 'a', ledger, store, takenBefore, durable };
      replicas.set(party, openSigningReplica({ ...options, nonces: nonces.get(party)! }));
    }
    ledger.now += 2_000;
    expect(await letOutOf(held)).toEqual([]);
    const later = hold(evidenceOf(withdrawal('2')));
    approve(ann, later.id);
    approve(ben, later.id);
    ledger.now += 1_000;
    expect(await letOutOf(later)).toHaveLength(2);
  });
});

describe('one request that was approved', () => {
  let held: Held;
  beforeEach(() => {
    held = hold();
    approve(ann, held.id);
    approve(ben, held.id);
  });

  it('has one message of each party, whoever is asked how often', async () => {
    const messages = new Set<string>();
    const pairs = [
      [1, 2],
      [2, 3],
      [3, 1],
      [1, 2],
    ] as const;
    for (const [lead, partner] of pairs) {
      const { letOut } = await signNow(held.evidence, lead, partner);
      for (const { party, messageSha256 } of letOut) messages.add(`${party} ${messageSha256}`);
    }
    expect(messages.size).toBe(3);
  });

  it('has one of each process where the database forgets, and none of one that starts later', async () => {
    const { letOut: first } = await signNow(held.evidence);
    store.forget();
    const { letOut: again } = await signNow(held.evidence);
    expect(new Set([...first, ...again].map(({ messageSha256 }) => messageSha256)).size).toBe(1);
    restartAll();
    store.forget();
    ledger.now += 2_000;
    expect((await signNow(held.evidence)).letOut).toEqual([]);
    expect((await signNow(held.evidence, 3, 1)).letOut).toEqual([]);
  });

  it('is signed by nobody once its time is over, whatever is remembered, approved or changed', async () => {
    const { releasedAt } = rowOf(held.id);
    await signNow(held.evidence);
    ledger.now = releasedAt! + RELEASE_LIFE_MS;
    store.forget();
    restartAll();
    ledger.now += 2_000;
    expect((await signNow(held.evidence)).letOut).toEqual([]);
    expect(approve(cat, held.id).refusal).toMatchObject({ refused: 'resource_conflict' });
    expect(ledger.appendEvidence(held.evidence).refusal).toBeDefined();
    expect(rowOf(held.id).releasedAt).toBe(releasedAt);
    expect((await signNow(held.evidence)).letOut).toEqual([]);
  });
});

describe('a request that was signed without approvals, and is held afterwards', () => {
  const written: (TimedRequest & { readonly message: RequestMessage })[] = [];
  const durable = () => ({
    add: async (entry: (typeof written)[number]) => void written.push(entry),
    earlier: [...written],
  });
  /** What is below the bound needs nobody, whatever lies above needs one. */
  const setBound = (max: string) => {
    const [trading, asking] = rulesWith(1, [ann, ben]);
    const small = { ...asking!, when: { ...asking!.when, amount: { max } }, then: 'allow' };
    const { version } = ledger.state.signingPolicies.rows.get(policyId)!;
    const body = { display_name: 'x', version, rules: [trading, small, asking] };
    ledger.must(ledger.admin, 'PUT', `/v1/signing-policies/${policyId}`, body);
  };
  let twin: Held;
  let first: readonly string[];

  /** Signed at once; a gateway that lies appends it all the same, and people approve what the rule asks for by then. */
  async function signAndHold(startAs: typeof startReplica) {
    for (const party of PARTY_NUMBERS) replicas.set(party, startAs(party));
    ledger.now += 5_000;
    setBound('1');
    const evidence = evidenceOf();
    const { letOut } = await signNow(evidence);
    expect(letOut).toHaveLength(2);
    first = letOut.map(({ messageSha256 }) => messageSha256);
    setBound('0.5');
    twin = hold(evidence);
    ledger.now += 3_600_000;
    // pushes out of the memory what nobody could ask for any more
    const read = { venue_request: { channel: 'rest', method: 'GET', path: '/api/v3/account' } };
    expect((await signNow(evidenceOf(read))).letOut).toHaveLength(2);
  }

  const startPrimary = (party: PartyNumber) =>
    openSigningReplica({
      ...{ party, name: 'a', ledger, store, takenBefore: ledger.now, durable: durable() },
      limitRows,
      nonces: nonces.get(party)!,
    });

  it('has no other message of a process that ran on, though the database forgets', async () => {
    await signAndHold(startReplica);
    store.forget();
    approve(ann, twin.id);
    const { letOut } = await signNow(twin.evidence);
    expect(letOut.filter(({ messageSha256 }) => !first.includes(messageSha256))).toEqual([]);
  });

  it.each<[string, () => typeof startReplica]>([
    ['primary replica that starts again', () => startPrimary],
    ['replica without a folder that starts again', () => startReplica],
  ])('has no other message of a %s', async (_who, startAs) => {
    await signAndHold(startAs());
    store.forget();
    for (const party of PARTY_NUMBERS) replicas.set(party, startAs()(party));
    ledger.now += 5_000;
    approve(ann, twin.id);
    expect(rowOf(twin.id).status).toBe('released');
    const { letOut } = await signNow(twin.evidence);
    expect(letOut.filter(({ messageSha256 }) => !first.includes(messageSha256))).toEqual([]);
  });
});

describe('a policy that begins to ask for approvals', () => {
  const written: (TimedRequest & { readonly message: RequestMessage })[] = [];
  const startPrimaries = () => {
    for (const party of PARTY_NUMBERS) {
      const add = async (entry: (typeof written)[number]) => void written.push(entry);
      const primary = openSigningReplica({
        ...{ party, name: 'a', ledger, store, takenBefore: ledger.now, limitRows },
        ...{ durable: { add, earlier: [...written] }, nonces: nonces.get(party)! },
      });
      replicas.set(party, primary);
    }
    ledger.now += 5_000;
  };
  const setRules = (rules: readonly object[]) => {
    const { version } = ledger.state.signingPolicies.rows.get(policyId)!;
    const body = { display_name: 'x', version, rules };
    ledger.must(ledger.admin, 'PUT', `/v1/signing-policies/${policyId}`, body);
  };
  /** Forgets all that a database and a process know, but for what primary replicas wrote into their folders. */
  const loseAllButFolders = () => {
    store.forget();
    startPrimaries();
  };
  const approveAndAsk = async ({ evidence, id }: Held) => {
    approve(ann, id);
    approve(ben, id);
    expect(rowOf(id).status).toBe('released');
    return (await signNow(evidence)).letOut;
  };

  it('gets nobody a second message of what it let through before', async () => {
    written.length = 0;
    startPrimaries();
    const [trading, asking] = rulesWith(2, [ann, ben]);
    setRules([trading!, { ...asking!, then: 'allow' }]);
    const evidence = evidenceOf();
    expect((await signNow(evidence)).letOut).toHaveLength(2);
    // nobody could have waited for anything by the rules of then: it is in no folder
    expect(written).toEqual([]);
    setRules([trading!, asking!]);
    const twin = hold(evidence);
    loseAllButFolders();
    expect(await approveAndAsk(twin)).toEqual([]);
  });

  it('lets through what was asked for two minutes later, whatever is restarted', async () => {
    written.length = 0;
    startPrimaries();
    const [trading, asking] = rulesWith(2, [ann, ben]);
    setRules([trading!, asking!]);
    ledger.now += 120_000;
    const held = hold();
    loseAllButFolders();
    expect(await approveAndAsk(held)).toHaveLength(2);
  });
});

describe('a limit with a rule behind it that asks for approvals', () => {
  /** One withdrawal of at most 10 by itself in a day, what lies beyond it with two approvals. */
  beforeEach(() => {
    const [, asking] = rulesWith(2, [ann, ben, cat]);
    const velocity = { limit: '10', unit: 'amount', window_s: 86_400, per: 'key' };
    const within = {
      ...asking!,
      when: { ...asking!.when, symbols: ['BTC'], velocity },
      then: 'allow',
    };
    const { version } = ledger.state.signingPolicies.rows.get(policyId)!;
    const body = { display_name: 'x', version, rules: [within, asking] };
    ledger.must(ledger.admin, 'PUT', `/v1/signing-policies/${policyId}`, body);
  });
  const ruleIds = () => ledger.state.signingPolicies.rows.get(policyId)!.rules.map(({ id }) => id);
  const signed = (ruleId: string | undefined) => ({
    outcome: 'signed',
    receipt: { policy: { ruleId } },
  });

  it('signs at once within it, and beyond it what two have approved', async () => {
    const [within, asking] = ruleIds();
    expect((await signNow(evidenceOf(withdrawal('7')))).outcome).toMatchObject(signed(within));
    const evidence = evidenceOf(withdrawal('4'));
    // said by both parties, and nothing that either remembers
    expect((await signNow(evidence)).outcome).toMatchObject({
      outcome: 'denied',
      reason: NOT_HELD.message,
    });
    const held = hold(evidence);
    expect((await signNow(evidence)).outcome.outcome).not.toBe('signed');
    approve(ann, held.id);
    approve(ben, held.id);
    expect((await signNow(evidence)).outcome).toMatchObject(signed(asking));
    // what people let through takes nothing of what needs nobody
    expect((await signNow(evidenceOf(withdrawal('3')))).outcome).toMatchObject(signed(within));
    expect((await signNow(evidenceOf(withdrawal('1')))).outcome.outcome).toBe('denied');
  });

  it('has its approvals though there is room again', async () => {
    const [, asking] = ruleIds();
    const held = hold(evidenceOf(withdrawal('4')));
    expect((await signNow(held.evidence)).letOut).toEqual([]);
    approve(ann, held.id);
    approve(ben, held.id);
    expect((await signNow(held.evidence)).outcome).toMatchObject(signed(asking));
  });

  it('denies what nobody can count, whoever approved it', async () => {
    const body = withdrawal('4');
    const order = {
      venue_request: {
        ...body.venue_request,
        query: 'coin=BTC&address=bc1qours&amount=4&amount=5',
      },
    };
    const held = hold(evidenceOf(order));
    approve(ann, held.id);
    approve(ben, held.id);
    expect((await signNow(held.evidence)).letOut).toEqual([]);
  });
});

describe('one party that counts approvals that are not there', () => {
  /** It folds a ledger of its own, in which two approved, and the request was released. */
  function lie(party: PartyNumber, { id }: Held): void {
    const replica = replicas.get(party)!;
    const { follower } = replica.context;
    const given = [ann, ben].map((user) => ({
      ...{ userId: user.id, at: ledger.now, entryHash: '00'.repeat(32) },
      credential: credentialMark(ledger.state.users.rows.get(user.id)!),
    }));
    const forge = (state: VaultState): VaultState => {
      const row = state.pendingRequests.rows.get(id);
      if (row === undefined) return state;
      const released = { ...row, given, status: 'released', releasedAt: ledger.now } as const;
      return { ...state, pendingRequests: replaceRow(state.pendingRequests, released) };
    };
    const view = {
      get state() {
        return forge(ledger.view.state);
      },
      get optimistic() {
        return forge(ledger.view.optimistic);
      },
      at(seq: number, hash: string) {
        const place = ledger.view.at(seq, hash);
        return place && { ...place, state: forge(place.state) };
      },
    };
    const lying = Object.create(follower, {
      view: { value: view },
      state: { get: () => view.state },
    }) as typeof follower;
    Object.assign(replica.context, { follower: lying });
  }

  it.each<[string, PartyNumber, PartyNumber]>([
    ['leads', 1, 2],
    ['is the partner', 2, 1],
  ])('gets nothing signed where it %s', async (_what, lead, partner) => {
    const held = hold();
    lie(1, held);
    const { outcome, letOut } = await signNow(held.evidence, lead, partner);
    expect(outcome.outcome).not.toBe('signed');
    // what it contributes by itself is no signature
    expect(letOut.filter(({ party }) => party !== 1)).toEqual([]);
  });

  it('lies well: with another liar it would be signed', async () => {
    const held = hold();
    lie(1, held);
    lie(2, held);
    expect((await signNow(held.evidence, 1, 2)).outcome.outcome).toBe('signed');
  });
});

describe('a signature that people ask for and approve', () => {
  it('is given hours later, by passkeys alone', async () => {
    ledger = createLedgerBuilder({ passkeys: TEST_PASSKEYS });
    const [ada, bob] = ['ada', 'bob'].map((name) => {
      const person = addPerson(ledger, ledger.admin, name);
      expect(person.enrol().refusal).toBeUndefined();
      return person;
    }) as [LedgerPerson, LedgerPerson];
    const asking = {
      display_name: 'Bob approves what Ada asks for',
      when: {
        ...{ operation_classes: ['withdraw'], destinations: ['bc1qours'] },
        initiators: { user_ids: [ada.id] },
      },
      then: { require_approvals: { quorum: 1, user_ids: [bob.id, ada.id] } },
    };
    ({ keyId, policyId } = makeVenueKey(ledger, 'binance', [asking]));
    restartAll();
    ledger.now += 5_000;
    const by = { token: ada.token, userId: ada.id, passkey: ada.passkey, timestampMs: ledger.now };
    const path = `/v1/keys/${keyId}/sign`;
    const evidence = evidenceOfPerson(by, 'POST', path, withdrawal());
    const held = hold(evidence);
    const decide = (who: LedgerPerson) =>
      who.send('POST', `/v1/requests/${held.id}/approve`, { digest: rowOf(held.id).digest });
    ledger.now += 5 * 3_600_000;
    expect(decide(ada).refusal).toMatchObject({ refused: 'forbidden' });
    expect(decide(bob).refusal).toBeUndefined();
    const kept = heldEvidence(rowOf(held.id), ledger.keys)!;
    ledger.now += 100;
    const item = {
      ...{ submission: randomBytes(16).toString('hex'), receivedAt: ledger.now, nonce: 0n },
      evidence: kept,
    };
    const pair = { lead: replicas.get(1)!, partner: replicas.get(2)! };
    const untold = await signTogether(ledger, pair, [{ ...item, tokenVerified: false }]);
    expect(untold.letOut).toEqual([]);
    const { outcomes } = await signTogether(ledger, pair, [{ ...item, tokenVerified: true }]);
    expect(outcomes).toMatchObject([
      { outcome: 'signed', receipt: { approvals: [{ userId: bob.id }] } },
    ]);
  });
});

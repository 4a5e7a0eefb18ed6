/** What no change may come to, whoever makes it: a key that comes back, or a right that its maker does not have. */
import { createPublicKey } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { toBase64 } from '@countersign/core/bytes.js';
import type { EntryOutcome } from '@countersign/vault/ledger/entry-outcome.js';
import {
  createLedgerBuilder,
  keyStory,
  rawPublicKey,
  testPrivateKey,
  type LedgerBuilder,
  type LedgerUser,
} from '../support/ledger-builder.ts';
import { addRecipients, refuseKey, rsaPublicKey } from '../support/party-facts.ts';

const PARTIES = [1, 2, 3] as const;
const REBORN = {
  refused: 'resource_conflict',
  message: 'the key is, or was, another key of this vault',
};
const SPKI = rsaPublicKey('a key');

let ledger: LedgerBuilder;
let shares: ReturnType<typeof addRecipients>;
let count = 0;

beforeEach(() => {
  ledger = createLedgerBuilder();
  shares = addRecipients(ledger, 'first');
});

const statusOf = (id: string) => ledger.state.keys.rows.get(id)?.status;

/** Sealed to the same recipients; other ciphertexts each time. */
function freshShares() {
  count += 1;
  return shares.map((share) => ({
    ...share,
    sealed: Buffer.from(`sealed to party ${share.party}, number ${count}`.padEnd(64)).toString(
      'base64',
    ),
  }));
}

const RSA_IMPORT = { type: 'rsa', encoding: 'pkcs8', public_key: toBase64(SPKI) };

function importKey(body: object = RSA_IMPORT): EntryOutcome {
  return ledger.send(ledger.admin, 'POST', '/v1/keys/import', {
    display_name: 'Imported',
    shares: freshShares(),
    ...body,
  });
}

const idOf = ({ refusal, subject }: EntryOutcome): string => {
  if (refusal !== undefined) throw new Error(refusal.message);
  return subject!.resourceIds[0]!;
};

const generate = (type: 'rsa' | 'ed25519' = 'rsa') =>
  ledger.must(ledger.admin, 'POST', '/v1/keys', { type, display_name: 'Generated' });

/** What the three parties' statements for this public key come to. */
const attest = (id: string, publicKey: Uint8Array) =>
  PARTIES.map((party) => ledger.attest(party, id, { ...keyStory(id), publicKey }).refusal);

const destroy = (id: string) => ledger.must(ledger.admin, 'POST', `/v1/keys/${id}/destroy`);

function importActive(): string {
  const id = idOf(importKey());
  expect(attest(id, SPKI)).toEqual([undefined, undefined, undefined]);
  return id;
}

/** The same modulus with another exponent: whoever knows one key's secret knows the other's. */
function sameModulus(): Buffer {
  const jwk = createPublicKey({ key: SPKI, format: 'der', type: 'spki' }).export({ format: 'jwk' });
  const other = { kty: 'RSA', n: jwk.n!, e: Buffer.from([17]).toString('base64url') };
  return createPublicKey({ key: other, format: 'jwk' }).export({ format: 'der', type: 'spki' });
}

describe('a key', () => {
  it.each<[string, () => void]>([
    ['active', () => void importActive()],
    [
      'frozen',
      () => ledger.must(ledger.admin, 'POST', `/v1/keys/freeze?key_ids=${importActive()}`),
    ],
    ['destroyed', () => destroy(importActive())],
    ['being imported', () => idOf(importKey())],
    ['refused by a party', () => void refuseKey(ledger, 2, idOf(importKey()))],
    ['generated', () => void attest(generate(), SPKI)],
  ])('that is %s comes back neither generated nor imported', (_what, make) => {
    make();
    const next = generate();
    const statements = attest(next, SPKI).map((refusal) => refusal?.refused);
    expect(statements).toEqual(Array(3).fill('resource_conflict'));
    expect(statusOf(next)).toBe('generating');
    expect(importKey().refusal).toMatchObject(REBORN);
    // another exponent makes no other key
    expect(attest(next, sameModulus())).toMatchObject([REBORN, REBORN, REBORN]);
    expect(importKey({ ...RSA_IMPORT, public_key: toBase64(sameModulus()) }).refusal).toMatchObject(
      REBORN,
    );
    // and another key is another key
    expect(attest(next, rsaPublicKey('another key'))).toEqual([undefined, undefined, undefined]);
    expect(statusOf(next)).toBe('active');
  });

  it('of Ed25519 is known by its public key', () => {
    const { publicKey } = keyStory('a venue key');
    const body = { type: 'ed25519', encoding: 'seed', public_key: toBase64(publicKey) };
    const id = idOf(importKey(body));
    attest(id, publicKey);
    destroy(id);
    expect(importKey(body).refusal).toMatchObject(REBORN);
    expect(attest(generate('ed25519'), publicKey)).toMatchObject([REBORN, REBORN, REBORN]);
  });

  it('is spoiled for a liar alone by what the liar attests of another', () => {
    const [victim, bait] = [generate(), generate()];
    const lie = (party: 1 | 2 | 3, id: string) =>
      ledger.attest(party, id, { ...keyStory(id), publicKey: SPKI }).refusal;
    expect(lie(3, bait)).toBeUndefined();
    expect(PARTIES.map((party) => lie(party, victim)?.refused)).toEqual([
      undefined,
      undefined,
      'resource_conflict',
    ]);
    expect(importKey().refusal).toBeUndefined();
  });

  it('may be told of by a party again and again, in one run and the next', () => {
    const id = generate();
    const tell = (publicKey: Uint8Array) =>
      ledger.attest(1, id, { ...keyStory(id), publicKey }).refusal;
    for (const publicKey of [SPKI, SPKI, rsaPublicKey('another run'), SPKI]) {
      expect(tell(publicKey)).toBeUndefined();
    }
  });
});

describe('an HMAC secret', () => {
  const body = { type: 'hmac', encoding: 'utf8' };

  it('is imported once from the same ciphertexts, whatever became of the key', () => {
    const sealed = freshShares();
    const id = idOf(importKey({ ...body, shares: sealed }));
    attest(id, Buffer.alloc(0));
    expect(statusOf(id)).toBe('active');
    destroy(id);
    expect(importKey({ ...body, shares: sealed }).refusal).toMatchObject(REBORN);
    const [one] = sealed;
    const mixed = [one, ...freshShares().slice(1)];
    expect(importKey({ ...body, shares: mixed }).refusal).toMatchObject(REBORN);
  });

  it('can be imported again by whoever has it: it has nothing public to be known by', () => {
    const id = idOf(importKey(body));
    attest(id, Buffer.alloc(0));
    expect(importKey(body).refusal).toBeUndefined();
  });
});

describe('who manages users', () => {
  let manager: LedgerUser;
  let boss: LedgerUser;
  let bot: LedgerUser;
  let group: string;
  let policy: string;

  const change = (user: LedgerUser, who: LedgerUser, body: object) =>
    ledger.send(who, 'PUT', `/v1/users/${user.id}`, body).refusal;
  const grant = (user: LedgerUser, action: string) =>
    ledger.must(ledger.admin, 'POST', '/v1/admin-policies', {
      display_name: `${user.id}: ${action}`,
      action,
      effect: 'allow',
      subjects: { user_ids: [user.id] },
    });
  const newKey = () => ({
    public_key: rawPublicKey(testPrivateKey(`fresh ${(count += 1)}`)).toString('base64url'),
  });
  const machine = (fields: object = {}) => ({
    type: 'machine',
    display_name: `made ${(count += 1)}`,
    ...newKey(),
    ...fields,
  });
  const create = (who: LedgerUser, fields?: object) =>
    ledger.send(who, 'POST', '/v1/users', machine(fields)).refusal;

  beforeEach(setUp);

  function setUp(): void {
    manager = ledger.addMachine('manager', ['manage_users', 'manage_user_groups']);
    boss = ledger.addMachine('boss', ['manage_admin_policies']);
    bot = ledger.addMachine('bot');
    group = ledger.must(ledger.admin, 'POST', '/v1/user-groups', { display_name: 'Traders' });
    const securityGroup = ledger.must(ledger.admin, 'POST', '/v1/security-groups', {
      display_name: 'Desk',
    });
    policy = ledger.must(ledger.admin, 'POST', '/v1/signing-policies', {
      display_name: 'Traders sign',
      security_group_id: securityGroup,
      rules: [
        {
          display_name: 'Traders',
          when: { initiators: { user_group_ids: [group] }, operations: ['raw_sign'] },
          then: 'allow',
        },
      ],
    });
  }

  const intoGroup = () => ({ user_group_ids: [group] });
  const expectAbove = (refusal: EntryOutcome['refusal']) =>
    expect(refusal).toMatchObject({
      refused: 'forbidden',
      message: expect.stringContaining(`signing policy ${policy}`) as unknown,
    });

  it('puts nobody into a group that signs: not themself, not a user of their making, not a bot', () => {
    expectAbove(change(manager, manager, intoGroup()));
    expectAbove(create(manager, intoGroup()));
    expectAbove(change(bot, manager, intoGroup()));
  });

  it('does not set the key of a user who signs, nor their API key', () => {
    expect(change(bot, ledger.admin, intoGroup())).toBeUndefined();
    expectAbove(change(bot, manager, newKey()));
    expectAbove(change(bot, manager, { rotate_api_key: true }));
    expect(change(bot, manager, { description: 'renamed' })).toBeUndefined();
    // what only takes away
    expect(change(bot, manager, { user_group_ids: [] })).toBeUndefined();
  });

  it('may do both with the right to change the signing policy', () => {
    grant(manager, 'manage_signing_policies');
    expect(change(manager, manager, intoGroup())).toBeUndefined();
    expect(change(bot, manager, intoGroup())).toBeUndefined();
    expect(change(bot, manager, newKey())).toBeUndefined();
  });

  it('may give what they may sign themselves', () => {
    expect(change(manager, ledger.admin, intoGroup())).toBeUndefined();
    expect(change(bot, manager, intoGroup())).toBeUndefined();
    expect(create(manager, intoGroup())).toBeUndefined();
  });

  it('does not escape a rule that denies them through a user whom it does not name', () => {
    const securityGroup = ledger.must(ledger.admin, 'POST', '/v1/security-groups', {
      display_name: 'Others',
    });
    const rule = (then: string, initiators: unknown) => ({
      display_name: then,
      when: { initiators, operations: ['raw_sign'] },
      then,
    });
    expect(create(manager)).toBeUndefined();
    const made = ledger.sendUnchecked(ledger.admin, 'POST', '/v1/signing-policies', {
      display_name: 'Everybody but the manager',
      security_group_id: securityGroup,
      rules: [rule('deny', { user_ids: [manager.id] }), rule('allow', 'anyone')],
    });
    policy = made.subject!.resourceIds[0]!;
    expectAbove(create(manager));
  });

  it.each<[string, (refusedTo: LedgerUser) => EntryOutcome['refusal']]>([
    [
      'expire',
      (who) => change(boss, who, { expires_at: new Date(ledger.now + 60_000).toISOString() }),
    ],
    ['set the key of', (who) => change(boss, who, newKey())],
    ['set the API key of', (who) => change(boss, who, { rotate_api_key: true })],
  ])('does not %s an administrator who may do more', (_what, act) => {
    expect(act(manager)).toMatchObject({
      refused: 'forbidden',
      message: expect.stringContaining('administrative rights that you do not hold') as unknown,
    });
    expect(ledger.state.users.rows.get(boss.id)).toMatchObject({ expiresAt: null });
    grant(manager, 'manage_admin_policies');
    expect(act(manager)).toBeUndefined();
  });

  it('does not take an administrator out of the group that makes them one', () => {
    const bosses = ledger.must(ledger.admin, 'POST', '/v1/user-groups', { display_name: 'Bosses' });
    ledger.must(ledger.admin, 'POST', '/v1/admin-policies', {
      display_name: 'Bosses',
      action: 'modify_system_settings',
      effect: 'allow',
      subjects: { user_group_ids: [bosses] },
    });
    expect(change(bot, ledger.admin, { user_group_ids: [bosses] })).toBeUndefined();
    expect(change(bot, manager, { user_group_ids: [] })).toMatchObject({
      refused: 'forbidden',
      message: 'the user holds administrative rights that you do not hold',
    });
  });

  it('does not bring an expired administrator back', () => {
    const expires = new Date(ledger.now + 10_000).toISOString();
    expect(change(boss, ledger.admin, { expires_at: expires })).toBeUndefined();
    ledger.now += 60_000;
    expect(change(boss, manager, { expires_at: null })?.refused).toBe('forbidden');
  });

  it('deletes, expires and makes users who may do no more than they', () => {
    expect(create(manager)).toBeUndefined();
    expect(
      change(bot, manager, { expires_at: new Date(ledger.now + 60_000).toISOString() }),
    ).toBeUndefined();
    expect(ledger.send(manager, 'DELETE', `/v1/users?user_ids=${bot.id}`).refusal).toBeUndefined();
  });

  it('may freeze anybody with the right to freeze: that is the brake, and another undoes it', () => {
    grant(manager, 'freeze');
    const frozen = ledger.send(manager, 'POST', `/v1/users/freeze?user_ids=${boss.id}`);
    expect(frozen.refusal).toBeUndefined();
  });

  it('is told nothing of what the request was about', () => {
    const outcome = ledger.send(manager, 'PUT', `/v1/users/${manager.id}`, intoGroup());
    expect(outcome).toMatchObject({ refusal: { refused: 'forbidden' }, subject: undefined });
    const sent = ledger.sendUnchecked(manager, 'PUT', `/v1/users/${manager.id}`, intoGroup());
    expect(sent.refusal?.refused).toBe('forbidden');
    expect([sent.subject, sent.policy, sent.actorId, sent.operation?.id]).toEqual([
      undefined,
      undefined,
      manager.id,
      'update-user',
    ]);
    expect(sent.changes).toBeUndefined();
  });
});

/** Importing, changing and destroying keys, as the fold takes it. */
import { answerOf } from '@countersign/vault/operations/answers.js';
import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { toBase64 } from '@countersign/core/bytes.js';
import { schemeOfKey } from '@countersign/vault/catalogues/open-values.js';
import { CATALOGUES } from '@countersign/vault/catalogues/todays-catalogues.js';
import type { EntryOutcome } from '@countersign/vault/ledger/entry-outcome.js';
import type { ErrType } from '@countersign/core/errors.js';
import { findKeyFailure, isKeyPending } from '@countersign/vault/operations/key-work.js';
import type { PartyNumber } from '@countersign/core/parties.js';
import { createLedgerBuilder, keyStory, type LedgerBuilder } from '../support/ledger-builder.ts';
import {
  addRecipients,
  appendRecipient,
  refuseKey,
  rsaPublicKey,
  signedRecipient,
} from '../support/party-facts.ts';

const DAY_MS = 86_400_000;
const PARTIES: readonly PartyNumber[] = [1, 2, 3];
const NO_SUCH_ID = '00000000-0000-4000-8000-000000000000';

let ledger: LedgerBuilder;
let shares: ReturnType<typeof addRecipients>;

beforeEach(() => {
  ledger = createLedgerBuilder();
  shares = addRecipients(ledger, 'current');
});

const keyOf = (id: string) => ledger.state.keys.rows.get(id)!;
const hmacBody = (changes: object = {}) => ({
  type: 'hmac',
  display_name: 'Imported secret',
  encoding: 'utf8',
  shares,
  ...changes,
});
/** Sealed to the same recipients, of another secret. */
const otherShares = () =>
  shares.map((share) => ({
    ...share,
    sealed: Buffer.from(`another, to party ${share.party}`.padEnd(64)).toString('base64'),
  }));
const post = (body: object) => ledger.send(ledger.admin, 'POST', '/v1/keys/import', body);

/** Refused with this, and nothing made. */
function expectRefused(act: () => EntryOutcome, refused: ErrType, message: RegExp): void {
  const { keys, securityGroups } = ledger.state;
  expect(act().refusal).toMatchObject({
    refused,
    message: expect.stringMatching(message) as unknown,
  });
  expect(ledger.state.keys).toBe(keys);
  expect(ledger.state.securityGroups).toBe(securityGroups);
}

function attestAll(keyId: string, publicKey = Buffer.alloc(0)): string {
  for (const party of PARTIES) {
    const { refusal } = ledger.attest(party, keyId, { ...keyStory(keyId), publicKey });
    if (refusal !== undefined) throw new Error(refusal.message);
  }
  return keyId;
}

function importHmac(changes: object = {}): string {
  const { refusal, subject } = post(hmacBody(changes));
  if (refusal !== undefined) throw new Error(refusal.message);
  return attestAll(subject!.resourceIds[0]!);
}

describe('an import', () => {
  it('waits for the parties with what was sealed to them', () => {
    const { subject, refusal, operation } = post(
      hmacBody({
        scheme: 'hmac_sha384',
        description: 'from the venue',
        labels: { desk: 'a' },
        venue_api_key: 'public-part',
      }),
    );
    expect(refusal).toBeUndefined();
    const keyId = subject!.resourceIds[0]!;
    expect(subject).toEqual({ resourceType: 'key', resourceIds: [keyId], keyIds: [keyId] });
    expect(keyOf(keyId)).toMatchObject({
      type: 'hmac',
      scheme: 'hmac_sha384',
      custody: 'split',
      status: 'importing',
      modulusBits: null,
      encoding: 'utf8',
      publicKey: '',
      description: 'from the venue',
      venueApiKey: 'public-part',
      venueId: null,
      labels: { desk: 'a' },
      failure: null,
      version: 1,
      createdBy: ledger.admin.id,
      sealedParts: shares.map(({ party, recipient_id: recipientId, sealed }) => ({
        party,
        recipientId,
        sealed,
      })),
    });
    expect(ledger.state.keys.indexes.pending.has(keyId)).toBe(true);
    expect(isKeyPending(ledger.state, operation!, subject!)).toBe(true);
    attestAll(keyId);
    expect(isKeyPending(ledger.state, operation!, subject!)).toBe(false);
    const context = { secret: () => Buffer.alloc(32), catalogues: CATALOGUES };
    expect(answerOf(operation!, ledger.state, subject!, context)).toMatchObject({
      id: keyId,
      custody: 'split',
      encoding: 'utf8',
      status: 'active',
      attestations: [{ party: 1 }, { party: 2 }, { party: 3 }],
    });
  });

  it('needs the right to import keys, and no other', () => {
    const maker = ledger.addMachine('Maker', ['generate_keys', 'manage_keys']);
    const importer = ledger.addMachine('Importer', ['import_keys']);
    const send = (user: typeof maker) => () =>
      ledger.send(user, 'POST', '/v1/keys/import', hmacBody());
    expectRefused(send(maker), 'forbidden', /import_keys/);
    expect(send(importer)().refusal).toBeUndefined();
  });

  it.each([
    ['hmac', 'hmac_sha256'],
    ['ed25519', 'ed25519'],
    ['rsa', 'rsa_pkcs1_sha256'],
  ] as const)('of type %s signs with %s unless it says otherwise', (type, scheme) => {
    const publicKey = {
      hmac: undefined,
      ed25519: toBase64(keyStory('x').publicKey),
      rsa: rsaPublicKey('x').toString('base64'),
    }[type];
    const body = hmacBody({
      type,
      encoding: type === 'hmac' ? 'hex' : 'pkcs8',
      ...(publicKey !== undefined && { public_key: publicKey }),
    });
    const { subject } = post(body);
    const key = keyOf(subject!.resourceIds[0]!);
    expect(schemeOfKey(key, CATALOGUES)).toBe(scheme);
    expect(key).toMatchObject({
      scheme: null,
      custody: type === 'hmac' ? 'split' : 'mpc_imported',
      publicKey: publicKey ?? '',
      modulusBits: type === 'rsa' ? 2048 : null,
    });
  });

  it("signs with its venue's scheme when it names none", () => {
    const { subject } = post(hmacBody({ venue_id: 'bitfinex' }));
    const key = keyOf(subject!.resourceIds[0]!);
    expect(key).toMatchObject({ venueId: 'bitfinex', scheme: null });
    expect(schemeOfKey(key, CATALOGUES)).toBe('hmac_sha384');
    const noVenues = { findVenue: () => undefined };
    expect(schemeOfKey(key, noVenues)).toBe('hmac_sha256');
    expect(schemeOfKey({ ...key, scheme: 'hmac_sha512' }, CATALOGUES)).toBe('hmac_sha512');
  });

  describe('is refused', () => {
    const invalid = (changes: object, message: RegExp) =>
      expectRefused(() => post(hmacBody(changes)), 'invalid_inputs', message);

    it('unless each party has one part', () => {
      const [one, two, three] = shares;
      for (const parts of [[one, two], [one, two, two], [one, one, one], [...shares, three], []]) {
        invalid({ shares: parts }, /shares/);
      }
      invalid({ shares: [one, two, { ...three, party: 4 }] }, /shares/);
    });

    it('unless each part is base64 of more than an encapsulated key', () => {
      const [one, two, three] = shares;
      for (const sealed of [
        '',
        'AA',
        '!!',
        Buffer.alloc(32).toString('base64'),
        'A'.repeat(8_196),
      ]) {
        invalid({ shares: [one, two, { ...three, sealed }] }, /shares/);
      }
    });

    it('when a recipient has expired, to the millisecond', () => {
      const last = Math.max(...ledger.state.importRecipients.map((row) => row.expiresAt));
      const first = Math.min(...ledger.state.importRecipients.map((row) => row.expiresAt));
      expect(last - first).toBeLessThan(DAY_MS);
      ledger.now = first - 1;
      expect(post(hmacBody()).refusal).toBeUndefined();
      ledger.now = first;
      invalid({}, /unknown or expired/);
    });

    it("when a recipient is nobody's, or another party's", () => {
      const [one, two, three] = shares;
      const unknown = { ...three, recipient_id: NO_SUCH_ID };
      invalid({ shares: [one, two, unknown] }, /unknown or expired/);
      const swapped = { ...two, recipient_id: three!.recipient_id };
      invalid({ shares: [one, swapped, three] }, /unknown or expired/);
    });

    it('once two newer recipients have pushed out what it names', () => {
      appendRecipient(ledger, signedRecipient(ledger, 1, 'newer'));
      expect(post(hmacBody()).refusal).toBeUndefined();
      appendRecipient(ledger, signedRecipient(ledger, 1, 'newest'));
      invalid({}, /unknown or expired/);
    });

    it('with a scheme of another type', () => {
      invalid({ scheme: 'ed25519' }, /scheme/);
      const publicKey = toBase64(keyStory('x').publicKey);
      invalid({ type: 'ed25519', scheme: 'hmac_sha256', public_key: publicKey }, /scheme/);
    });

    it('for a venue that wants another type, scheme or encoding', () => {
      invalid({ venue_id: 'coinbase_advanced' }, /takes keys of type ed25519/);
      invalid({ venue_id: 'binance', scheme: 'hmac_sha512' }, /wants hmac_sha256/);
      invalid({ venue_id: 'binance', encoding: 'hex' }, /gives secrets as utf8/);
      invalid({ venue_id: 'kraken' }, /gives secrets as base64/);
      expect(post(hmacBody({ venue_id: 'kraken', encoding: 'base64' })).refusal).toBeUndefined();
    });

    it('when the public key does not suit the type', () => {
      const ed25519 = { type: 'ed25519', encoding: 'seed' };
      const raw = toBase64(keyStory('x').publicKey);
      invalid({ public_key: raw }, /HMAC secret has none/);
      invalid(ed25519, /must be standard base64/);
      invalid({ ...ed25519, public_key: raw.slice(0, -1) }, /public_key/);
      invalid({ ...ed25519, public_key: Buffer.alloc(31).toString('base64') }, /32 bytes/);
      invalid({ ...ed25519, public_key: rsaPublicKey('x').toString('base64') }, /32 bytes/);
      expect(post(hmacBody({ ...ed25519, public_key: raw })).refusal).toBeUndefined();
    });

    it('when an RSA key is none, or of a size that no party takes', () => {
      const rsa = { type: 'rsa', encoding: 'pkcs8' };
      const { publicKey: ec } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      const spki = rsaPublicKey('x');
      const others = [
        Buffer.alloc(0),
        rsaPublicKey('x', 1024),
        ec.export({ format: 'der', type: 'spki' }),
        createPublicKey({ key: spki, format: 'der', type: 'spki' }).export({
          format: 'der',
          type: 'pkcs1',
        }),
        spki.subarray(1),
      ];
      invalid(rsa, /public_key/);
      for (const other of others) {
        invalid({ ...rsa, public_key: other.toString('base64') }, /RSA key of 2048/);
      }
    });

    it('with a field that none knows', () => {
      invalid({ secret: 'in the clear' }, /unknown field/);
      invalid({ passphrase: 'in the clear' }, /unknown field/);
    });
  });

  it('fails for good when a party refuses it: the caller is told, nobody sees a key', () => {
    const { subject, operation } = post(hmacBody());
    const keyId = subject!.resourceIds[0]!;
    refuseKey(ledger, 2, keyId, 'the part is malformed');
    expect(isKeyPending(ledger.state, operation!, subject!)).toBe(false);
    expect(findKeyFailure(ledger.state, operation!, subject!)).toEqual({
      refused: 'invalid_inputs',
      message: 'party 2: the part is malformed',
    });
    const update = () =>
      ledger.send(ledger.admin, 'PUT', `/v1/keys/${keyId}`, { display_name: 'Other' });
    expectRefused(update, 'resource_not_found', /no such resource/);
    const destroy = () => ledger.send(ledger.admin, 'POST', `/v1/keys/${keyId}/destroy`);
    expectRefused(destroy, 'resource_not_found', /no such resource/);
  });
});

describe('generating a key', () => {
  const generate = (body: object) => () =>
    ledger.send(ledger.admin, 'POST', '/v1/keys', { display_name: 'New', ...body });

  it('for a venue is refused when the venue takes no such key', () => {
    expect(generate({ type: 'rsa', venue_id: 'venue_a' })().refusal).toBeUndefined();
    expectRefused(generate({ type: 'rsa', venue_id: 'okx' }), 'invalid_inputs', /type hmac/);
    expect(generate({ type: 'rsa', venue_id: 'binance' })().refusal).toBeUndefined();
  });

  it('of HMAC type, or with a size that it does not have, is refused', () => {
    expectRefused(generate({ type: 'hmac' }), 'invalid_inputs', /type/);
    const sized = { type: 'ed25519', modulus_bits: 2048 };
    expectRefused(generate(sized), 'invalid_inputs', /RSA keys alone/);
    expectRefused(generate({ type: 'rsa', modulus_bits: 1024 }), 'invalid_inputs', /modulus_bits/);
  });
});

describe('an API key that the venue never gave, with parameters in it', () => {
  const WITHDRAWING = 'REAL&address=X&amount=1&coin=BTC&network=BTC';
  const REAL = 'vmPUZE6mv9SD5VNHk4HlWFsOr6aKE2zvsw0MuIgwCIPy6utIco14y7Ju91duEh8A';
  const generate = (venueApiKey: string, venueId = 'binance') =>
    ledger.send(ledger.admin, 'POST', '/v1/keys', {
      type: 'rsa',
      display_name: 'New',
      venue_id: venueId,
      venue_api_key: venueApiKey,
    });

  it.each(['binance', 'bybit'])('is refused at %s when a key is generated', (venueId) => {
    expectRefused(() => generate(WITHDRAWING, venueId), 'invalid_inputs', /^venue_api_key: /);
    expect(generate(REAL, venueId).refusal).toBeUndefined();
  });

  it('is refused when a secret is imported', () => {
    const body = (venueApiKey: string) =>
      hmacBody({ venue_id: 'binance', venue_api_key: venueApiKey });
    expectRefused(() => post(body(WITHDRAWING)), 'invalid_inputs', /^venue_api_key: /);
    expect(post(body(REAL)).refusal).toBeUndefined();
  });

  it('is refused when it takes the place of another; no key at all is none of that', () => {
    const keyId = importHmac({ venue_id: 'binance', venue_api_key: REAL });
    const put = (venueApiKey: string | null) =>
      ledger.send(ledger.admin, 'PUT', `/v1/keys/${keyId}`, { venue_api_key: venueApiKey });
    expectRefused(() => put(WITHDRAWING), 'invalid_inputs', /^venue_api_key: /);
    expect(keyOf(keyId).venueApiKey).toBe(REAL);
    expect(put(null).refusal).toBeUndefined();
    expect(keyOf(keyId).venueApiKey).toBeNull();
  });

  it('is taken where the key stands in no signed text', () => {
    const organization = 'organizations/1/apiKeys/2';
    const body = { type: 'ed25519', display_name: 'New', venue_id: 'coinbase_advanced' };
    const { refusal } = ledger.send(ledger.admin, 'POST', '/v1/keys', {
      ...body,
      venue_api_key: organization,
    });
    expect(refusal).toBeUndefined();
  });
});

describe('changing a key', () => {
  const put = (keyId: string, body: object) =>
    ledger.send(ledger.admin, 'PUT', `/v1/keys/${keyId}`, body);

  it('changes its name, description and identifier at the venue, and counts versions', () => {
    const keyId = importHmac({ venue_id: 'okx', venue_api_key: 'one', labels: { desk: 'a' } });
    const before = keyOf(keyId);
    put(keyId, { display_name: 'Renamed', description: 'why', venue_api_key: 'two', version: 1 });
    expect(keyOf(keyId)).toEqual({
      ...before,
      displayName: 'Renamed',
      description: 'why',
      venueApiKey: 'two',
      version: 2,
      lastUpdatedAt: ledger.state.time,
      lastUpdatedBy: ledger.admin.id,
    });
    put(keyId, { description: null });
    expect(keyOf(keyId)).toMatchObject({ description: null, venueApiKey: 'two', version: 3 });
    put(keyId, { venue_api_key: null });
    expect(keyOf(keyId)).toMatchObject({
      displayName: 'Renamed',
      description: null,
      venueApiKey: null,
      version: 4,
    });
  });

  it('is refused for everything that a policy may rest on', () => {
    const keyId = importHmac({ venue_id: 'okx', labels: { desk: 'a' } });
    for (const change of [
      { labels: { desk: 'b' } },
      { labels: {} },
      { venue_id: 'binance' },
      { type: 'rsa' },
      { scheme: 'hmac_sha512' },
      { encoding: 'hex' },
      { public_key: 'AAAA' },
      { status: 'active' },
    ]) {
      const both = { display_name: 'Renamed', ...change };
      expectRefused(() => put(keyId, both), 'invalid_inputs', /unknown field/);
    }
  });

  it('is refused from another version, and without a change', () => {
    const keyId = importHmac();
    for (const version of [2, 7]) {
      const stale = { display_name: 'Renamed', version };
      expectRefused(() => put(keyId, stale), 'resource_conflict', /at version 1/);
    }
    expectRefused(() => put(keyId, { version: 1 }), 'invalid_inputs', /change something/);
    expectRefused(() => put(keyId, {}), 'invalid_inputs', /change something/);
  });

  it('is refused without manage_keys, for no such key, and for one that is not complete', () => {
    const keyId = importHmac();
    const bot = ledger.addMachine('Bot', ['import_keys', 'generate_keys', 'freeze', 'unfreeze']);
    const body = { display_name: 'Renamed' };
    const byBot = () => ledger.send(bot, 'PUT', `/v1/keys/${keyId}`, body);
    expectRefused(byBot, 'forbidden', /manage_keys/);
    expectRefused(() => put(NO_SUCH_ID, body), 'resource_not_found', /no such resource/);
    const pending = post(hmacBody({ shares: otherShares() })).subject!.resourceIds[0]!;
    expectRefused(() => put(pending, body), 'resource_not_found', /no such resource/);
  });
});

describe('destroying a key', () => {
  const destroy = (keyId: string) => ledger.send(ledger.admin, 'POST', `/v1/keys/${keyId}/destroy`);

  it('leaves a tombstone that is in no security group', () => {
    const keyId = importHmac();
    const other = importHmac({ shares: otherShares() });
    const groups = ['One', 'Two'].map((name) =>
      ledger.must(ledger.admin, 'POST', '/v1/security-groups', {
        display_name: name,
        members: [keyId, other].map((id) => ({ member_id: id, member_type: 'key' })),
      }),
    );
    expect(ledger.state.securityGroups.indexes.byMember.get(keyId)).toEqual(groups);
    expect(destroy(keyId).refusal).toBeUndefined();
    expect(keyOf(keyId)).toMatchObject({ status: 'destroyed', version: 2 });
    expect(ledger.state.securityGroups.indexes.byMember.has(keyId)).toBe(false);
    for (const id of groups) {
      const { members } = ledger.state.securityGroups.rows.get(id)!;
      expect(members).toEqual([{ id: other, type: 'key' }]);
    }
    expect(ledger.state.securityGroups.indexes.byMember.get(other)).toEqual(groups);
  });

  it('is final: the key is neither changed nor attested nor grouped again', () => {
    const keyId = importHmac();
    destroy(keyId);
    const before = keyOf(keyId);
    const update = () =>
      ledger.send(ledger.admin, 'PUT', `/v1/keys/${keyId}`, { display_name: 'Back' });
    expectRefused(update, 'resource_conflict', /destroyed/);
    for (const party of PARTIES) {
      const story = { ...keyStory('later'), publicKey: Buffer.alloc(0) };
      expect(ledger.attest(party, keyId, story).refusal?.refused).toBe('resource_conflict');
      expect(refuseKey(ledger, party, keyId).refusal?.refused).toBe('resource_conflict');
    }
    const group = () =>
      ledger.send(ledger.admin, 'POST', '/v1/security-groups', {
        display_name: 'Later',
        members: [{ member_id: keyId, member_type: 'key' }],
      });
    expect(group().refusal).toMatchObject({ refused: 'invalid_inputs' });
    expect(keyOf(keyId)).toBe(before);
  });

  it('once more is accepted and changes nothing', () => {
    const keyId = importHmac();
    destroy(keyId);
    const before = keyOf(keyId);
    expect(destroy(keyId).refusal).toBeUndefined();
    expect(keyOf(keyId)).toEqual(before);
  });

  it('also ends a key that is disabled or frozen', () => {
    const keyId = importHmac();
    ledger.must(ledger.admin, 'POST', `/v1/keys/freeze?key_ids=${keyId}`);
    expect(destroy(keyId).refusal).toBeUndefined();
    expect(keyOf(keyId)).toMatchObject({
      status: 'destroyed',
      frozen: expect.anything() as unknown,
    });
  });

  it("is refused for a wallet's key, until the wallet is gone", () => {
    const { admin } = ledger;
    const vaultId = ledger.must(admin, 'POST', '/v1/vaults', { display_name: 'Desk' });
    const wallets = `/v1/vaults/${vaultId}/wallets`;
    const walletId = ledger.must(admin, 'POST', wallets, { network_family: 'solana' });
    const { keyId } = ledger.state.wallets.rows.get(walletId)!;
    for (const party of PARTIES) ledger.attest(party, keyId, keyStory('wallet'));
    expectRefused(() => destroy(keyId), 'resource_conflict', /belongs to a wallet/);
    const { address } = ledger.state.wallets.rows.get(walletId)!;
    ledger.must(admin, 'POST', `${wallets}/freeze?addresses=${address}`);
    ledger.must(admin, 'DELETE', `${wallets}?addresses=${address}`);
    expect(keyOf(keyId).status).toBe('disabled');
    expect(destroy(keyId).refusal).toBeUndefined();
    expect(keyOf(keyId).status).toBe('destroyed');
  });

  it('is refused without manage_keys, for no such key, and for one that is not complete', () => {
    const keyId = importHmac();
    const bot = ledger.addMachine('Bot', ['import_keys', 'generate_keys', 'freeze', 'unfreeze']);
    const byBot = () => ledger.send(bot, 'POST', `/v1/keys/${keyId}/destroy`);
    expectRefused(byBot, 'forbidden', /manage_keys/);
    expectRefused(() => destroy(NO_SUCH_ID), 'resource_not_found', /no such resource/);
    const pending = post(hmacBody({ shares: otherShares() })).subject!.resourceIds[0]!;
    expectRefused(() => destroy(pending), 'resource_not_found', /no such resource/);
    const withBody = () =>
      ledger.send(ledger.admin, 'POST', `/v1/keys/${keyId}/destroy`, { sure: true });
    expectRefused(withBody, 'invalid_inputs', /unknown field/);
  });
});

/**
 * What this release's catalogues refuse, appended all the same by somebody who has the gateway's role: the
 * fold takes it, and nothing is signed by it.
 */
import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  address as solanaAddress,
  blockhash,
  compileTransaction,
  createTransactionMessage,
  getBase64EncodedWireTransaction,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
} from '@solana/kit';
import { isRefusal, type Refusal } from '@countersign/core/errors.js';
import {
  evaluateSigning,
  type ReadySigning,
} from '@countersign/vault/operations/signing-operation.js';
import type { VaultState } from '@countersign/vault/state/state.js';
import { findVenue } from '@countersign/venues/venue-catalogue.js';
import { findSigningOperation } from '@countersign/vault/operations/signing-operations.js';
import { createLedgerBuilder, keyStory, type LedgerBuilder } from '../support/ledger-builder.ts';
import { addRecipients } from '../support/party-facts.ts';

const REAL = 'vmPUZE6mv9SD5VNHk4HlWFsOr6aKE2zvsw0MuIgwCIPy6utIco14y7Ju91duEh8A';
const WITHDRAWING = 'REAL&address=X&amount=1&coin=BTC&network=BTC';
const BALANCE = { method: 'GET', path: '/api/v3/account', query: '', body: '', channel: 'rest' };

let ledger: LedgerBuilder;

beforeEach(() => {
  ledger = createLedgerBuilder();
});

/** Refused by a gateway, and then appended past it; answers the id of what it made or changed. */
function force(method: string, target: string, body: object): string {
  expect(ledger.send(ledger.admin, method, target, body).refusal).toBeDefined();
  return append(method, target, body);
}

function append(method: string, target: string, body: object): string {
  const { refusal, subject } = ledger.sendUnchecked(ledger.admin, method, target, body);
  expect(refusal).toBeUndefined();
  return subject!.resourceIds[0]!;
}

function complete(keyId: string): string {
  const { type } = ledger.state.keys.rows.get(keyId)!;
  const story = keyStory(keyId);
  const publicKey = type === 'hmac' ? Buffer.alloc(0) : story.publicKey;
  for (const party of [1, 2, 3] as const) ledger.attest(party, keyId, { ...story, publicKey });
  return keyId;
}

/** A group with these members, whose one rule allows what `when` says. */
function allow(memberId: string, memberType: 'key' | 'wallet', when: object = {}): object {
  const groupId = ledger.must(ledger.admin, 'POST', '/v1/security-groups', {
    display_name: `Group of ${memberId}`,
    members: [{ member_id: memberId, member_type: memberType }],
  });
  return {
    display_name: 'Rules',
    security_group_id: groupId,
    rules: [
      {
        display_name: 'Rule',
        when: { initiators: { user_ids: [ledger.admin.id] }, ...when },
        then: 'allow',
      },
    ],
  };
}

function sign(path: string, body: object, state = ledger.state): ReadySigning | Refusal {
  const matched = findSigningOperation('POST', path)!;
  const evidence = ledger.evidenceOf(ledger.admin, 'POST', path, body);
  const initiator = state.users.rows.get(ledger.admin.id)!;
  return evaluateSigning(state, matched, evidence, { initiator, receivedAt: 0 });
}

/** A Solana transaction that this address pays for, base64. */
function transactionOf(payer: string): string {
  const lifetime = {
    blockhash: blockhash('GfVcyD4kkTrj4bKc7WA9sZCin9JDbdT4Zkd3EittNR1W'),
    lastValidBlockHeight: 1n,
  };
  const message = pipe(
    createTransactionMessage({ version: 0 }),
    (empty) => setTransactionMessageFeePayer(solanaAddress(payer), empty),
    (paid) => setTransactionMessageLifetimeUsingBlockhash(lifetime, paid),
  );
  return getBase64EncodedWireTransaction(compileTransaction(message));
}

describe('a venue request', () => {
  const venueSign = (keyId: string, changes: object = {}) =>
    sign(`/v1/keys/${keyId}/sign`, { venue_request: { ...BALANCE, ...changes } });
  const generate = { type: 'ed25519', display_name: 'Key', venue_id: 'binance' };

  it('is signed for a key that nothing is wrong with', () => {
    const keyId = complete(append('POST', '/v1/keys', { ...generate, venue_api_key: REAL }));
    append('POST', '/v1/signing-policies', allow(keyId, 'key'));
    expect(isRefusal(venueSign(keyId))).toBe(false);
  });

  it('is not signed for a key of a venue that nobody knows, whatever a rule allows', () => {
    const other = { ...generate, venue_id: 'venue_a', venue_api_key: REAL };
    const keyId = complete(append('POST', '/v1/keys', other));
    append('POST', '/v1/signing-policies', allow(keyId, 'key', { venue_ids: ['venue_a'] }));
    expect(venueSign(keyId)).toMatchObject({ refused: 'invalid_inputs' });
  });

  it('is not signed under an API key that the venue never gave, with parameters in it', () => {
    const made = { ...generate, venue_api_key: WITHDRAWING };
    const keyId = complete(force('POST', '/v1/keys', made));
    append('POST', '/v1/signing-policies', allow(keyId, 'key'));
    expect(venueSign(keyId)).toMatchObject({ refused: 'invalid_inputs' });
    append('PUT', `/v1/keys/${keyId}`, { venue_api_key: REAL });
    expect(isRefusal(venueSign(keyId))).toBe(false);
    force('PUT', `/v1/keys/${keyId}`, { venue_api_key: WITHDRAWING });
    expect(venueSign(keyId)).toMatchObject({ refused: 'invalid_inputs' });
  });

  it('is not signed with a key of a type that the venue does not take', () => {
    const made = { ...generate, venue_id: 'okx', venue_api_key: 'okx-key' };
    const keyId = complete(force('POST', '/v1/keys', made));
    append('POST', '/v1/signing-policies', allow(keyId, 'key'));
    const balance = { path: '/api/v5/account/balance' };
    expect(venueSign(keyId, balance)).toMatchObject({ refused: 'invalid_inputs' });
  });

  it.each([
    ['utf8', false],
    ['hex', true],
  ])('with a secret imported as %s: refused is %s', (encoding, isRefused) => {
    const body = {
      type: 'hmac',
      display_name: 'Secret',
      encoding,
      venue_id: 'binance',
      venue_api_key: REAL,
      shares: addRecipients(ledger, 'current'),
    };
    const keyId = complete((isRefused ? force : append)('POST', '/v1/keys/import', body));
    append('POST', '/v1/signing-policies', allow(keyId, 'key'));
    const signing = venueSign(keyId);
    expect(isRefusal(signing) ? signing : undefined).toEqual(
      isRefused
        ? { refused: 'invalid_inputs', message: expect.stringMatching(/^encoding: /) as unknown }
        : undefined,
    );
  });

  it('is denied by a rule with a condition that its venue does not bind', () => {
    const made = { ...generate, venue_id: 'coinbase_advanced', venue_api_key: 'organizations/1' };
    const keyId = complete(append('POST', '/v1/keys', made));
    const when = { symbols: ['BTC-USD'], operation_classes: ['read', 'trade'] };
    force('POST', '/v1/signing-policies', allow(keyId, 'key', when));
    const unbindable = findVenue('coinbase_advanced')?.unbindable('symbols');
    expect(unbindable).toBeDefined();
    const order = {
      method: 'POST',
      path: '/api/v3/brokerage/orders',
      body: JSON.stringify({ client_order_id: 'a', product_id: 'BTC-USD', side: 'BUY' }),
    };
    expect(venueSign(keyId, order)).toMatchObject({
      refused: 'forbidden',
      message: expect.stringContaining(`cannot be evaluated: symbols: ${unbindable}`) as unknown,
    });
  });
});

// the fold guards settings as well (`setting-guards.test.ts`): signing does not rest on that
describe('a transaction on a testnet', () => {
  let path: string;
  let walletId: string;
  let address: string;
  /** As the state would be if the fold had not guarded the setting. */
  const withoutTestnets = (): VaultState => ({
    ...ledger.state,
    settings: { ...ledger.state.settings, testnetsEnabled: false },
  });
  const signOn = (networkId: string, state = ledger.state) =>
    sign(path, { network_id: networkId, transaction: transactionOf(address) }, state);
  const denied = {
    refused: 'invalid_inputs',
    message: expect.stringMatching(/^network_id: /) as unknown,
  };

  beforeEach(() => {
    const { version } = ledger.state.settings;
    append('PATCH', '/v1/system-settings', { version, testnets_enabled: true });
  });

  function makeWallet(networks?: readonly string[]): void {
    const vaultId = append('POST', '/v1/vaults', { display_name: 'Desk' });
    const body = { network_family: 'solana', networks };
    walletId = append('POST', `/v1/vaults/${vaultId}/wallets`, body);
    complete(ledger.state.wallets.rows.get(walletId)!.keyId);
    ({ address } = ledger.state.wallets.rows.get(walletId)!);
    path = `/v1/vaults/${vaultId}/wallets/${address}/sign`;
  }

  it('is not signed while testnets are off, though a rule names the testnet', () => {
    makeWallet(['solana-devnet']);
    append(
      'POST',
      '/v1/signing-policies',
      allow(walletId, 'wallet', { networks: ['solana-devnet'] }),
    );
    expect(isRefusal(signOn('solana-devnet'))).toBe(false);
    expect(signOn('solana-devnet', withoutTestnets())).toMatchObject(denied);
  });

  it('is not signed while testnets are off for a wallet that names the testnet', () => {
    makeWallet(['solana-devnet']);
    append('POST', '/v1/signing-policies', allow(walletId, 'wallet'));
    expect(signOn('solana-devnet', withoutTestnets())).toMatchObject(denied);
    expect(isRefusal(signOn('solana-devnet'))).toBe(false);
    expect(signOn('solana-mainnet')).toMatchObject(denied);
  });

  it('is not signed for a wallet that names no network', () => {
    makeWallet();
    append('POST', '/v1/signing-policies', allow(walletId, 'wallet'));
    expect(signOn('solana-devnet')).toMatchObject(denied);
    expect(isRefusal(signOn('solana-mainnet'))).toBe(false);
  });

  it('on a network that no catalogue knows is never signed', () => {
    makeWallet();
    force('POST', '/v1/signing-policies', allow(walletId, 'wallet', { networks: ['solana-next'] }));
    expect(signOn('solana-next')).toMatchObject(denied);
  });
});

it('what a check refuses is not appended', () => {
  const { rows } = ledger;
  const before = rows.length;
  const body = { type: 'ed25519', display_name: 'Key', venue_id: 'okx' };
  expect(ledger.send(ledger.admin, 'POST', '/v1/keys', body).refusal).toBeDefined();
  expect(rows).toHaveLength(before);
});

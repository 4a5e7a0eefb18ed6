import { createHmac, createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { call, expectRefusal } from '../support/api.ts';
import { readAsBinance } from '../support/binance-venue.ts';
import { importSecret } from '../support/desk-import.ts';
import { allowKeys, generateKey, type KeyView } from '../support/standalone-keys.ts';
import { expectOk, openSharedVault, type VaultInUse } from '../support/test-vault.ts';

interface SignedVenueRequest {
  request: {
    method: string;
    path: string;
    query: string;
    headers: Record<string, string>;
    body: string;
  };
  operation_class: string;
  binds: string[];
  receipt: { signed_at: string };
}

jest.setTimeout(90_000);

let vault: VaultInUse;

beforeAll(async () => {
  vault = await openSharedVault();
}, 60_000);
afterAll(() => vault?.close(), 60_000);

const sign = (key: KeyView, request: object) =>
  expectOk<SignedVenueRequest>(vault.admin, 'POST', `/v1/keys/${key.id}/sign`, {
    venue_request: { channel: 'rest', ...request },
  });
const expectDenied = (key: KeyView, request: object, text?: string | RegExp) =>
  expectRefusal(
    'forbidden',
    vault.admin,
    'POST',
    `/v1/keys/${key.id}/sign`,
    { venue_request: { channel: 'rest', ...request } },
    text,
  );

interface VenueSecret {
  readonly secret: Buffer;
  readonly passphrase?: string;
}

function importVenueKey(
  venueId: string,
  encoding: 'utf8' | 'hex' | 'base64',
  { secret, passphrase = '' }: VenueSecret,
) {
  return importSecret(
    vault,
    { type: 'hmac', secret: Buffer.from(secret), passphrase, encoding },
    { venueId, venueApiKey: `${venueId.replaceAll('_', '')}ApiKey` },
  );
}

describe('a Binance order', () => {
  const secret = Buffer.from('NhqPtmdSJYdKjVHjA7PZj4Mge3R5YNiP1e3UZjInClVN65XAbvqqM6A7H5fATj0j');
  let key: KeyView;

  beforeAll(async () => {
    key = await importVenueKey('binance', 'utf8', { secret });
    await allowKeys(vault, [key.id], {
      operation_classes: ['trade'],
      symbols: ['LTCBTC'],
      amount: { max: '2' },
    });
  }, 90_000);

  const order = (query: string) => ({ method: 'POST', path: '/api/v3/order', query });
  const ORDER = 'symbol=LTCBTC&side=BUY&type=LIMIT&timeInForce=GTC&quantity=1&price=0.1';
  const WITHDRAWAL = 'coin=BTC&address=elsewhere&amount=1';

  it('comes back complete: clock, key and a signature that the venue would accept', async () => {
    const before = Date.now();
    const signed = await sign(key, order(ORDER));
    expect(signed.operation_class).toBe('trade');
    expect(signed.binds).toEqual(expect.arrayContaining(['query', 'time']));
    expect(signed.binds).not.toContain('path');
    expect(signed.request.headers['X-MBX-APIKEY']).toBe('binanceApiKey');
    const read = readAsBinance(signed.request, secret);
    expect(read?.get('quantity')).toBe('1');
    const time = Number(read!.get('timestamp'));
    expect(time).toBe(Date.parse(signed.receipt.signed_at));
    expect(time).toBeGreaterThanOrEqual(before - 1_000);
    expect(time).toBeLessThanOrEqual(Date.now() + 1_000);
  });

  it('outside symbol or amount is denied, and so is anything dressed as one', async () => {
    await expectDenied(key, order(ORDER.replace('LTCBTC', 'BTCUSDT')));
    await expectDenied(key, order(ORDER.replace('quantity=1', 'quantity=3')));
    // valid at the withdrawal endpoint too: such a signature is never made, whatever a rule says
    for (const query of [WITHDRAWAL, `${ORDER}&${WITHDRAWAL}`]) {
      await expectRefusal(
        'invalid_inputs',
        vault.admin,
        'POST',
        `/v1/keys/${key.id}/sign`,
        { venue_request: { channel: 'rest', ...order(query) } },
        'capital/withdraw',
      );
    }
    await expectDenied(key, {
      method: 'POST',
      path: '/sapi/v1/capital/withdraw/apply',
      query: WITHDRAWAL,
    });
    await expectDenied(key, { method: 'POST', path: '/api/v3/ordeR', query: ORDER });
  });

  it('whose amount cannot be compared is denied by the rule that bounds it', async () => {
    const query = 'symbol=LTCBTC&side=BUY&type=MARKET&quoteOrderQty=1';
    await expectDenied(key, order(query), 'cannot be evaluated');
  });

  it('that states the clock, or a parameter twice, is 422', async () => {
    for (const extra of ['timestamp=1', 'signature=00', 'symbol=BTCUSDT', 'symbol=LTCBTC']) {
      await expectRefusal('invalid_inputs', vault.admin, 'POST', `/v1/keys/${key.id}/sign`, {
        venue_request: { channel: 'rest', ...order(`${ORDER}&${extra}`) },
      });
    }
  });

  it('is explained by evaluate, which signs nothing', async () => {
    const evaluation = await expectOk<{ outcome: string }>(
      vault.admin,
      'POST',
      '/v1/signing-policies/evaluate',
      {
        operation: 'sign',
        key_id: key.id,
        venue_request: { channel: 'rest', ...order(ORDER) },
      },
    );
    expect(evaluation.outcome).toBe('allow');
  });

  it('of class unknown is explained by what made it so', async () => {
    const body = (path: string) => ({
      operation: 'sign',
      key_id: key.id,
      venue_request: { channel: 'rest', ...order(ORDER), path },
    });
    const factsAt = async (path: string) => {
      const target = '/v1/signing-policies/evaluate';
      return (await expectOk<{ facts: object }>(vault.admin, 'POST', target, body(path))).facts;
    };
    expect(await factsAt('/api/v3/ordeR')).toMatchObject({
      operation_class: 'unknown',
      unknown_because: expect.stringContaining('/api/v3/ordeR'),
    });
    expect(await factsAt('/api/v3/order')).not.toHaveProperty('unknown_because');
  });

  it('of class unknown has that in its refusal and in the audit log', async () => {
    const path = '/api/v3/unheardOf';
    await expectDenied(key, { method: 'POST', path, query: ORDER }, path);
    const target = `/v1/audit-logs?outcome=denied&key_ids=${key.id}&limit=1`;
    const { results } = await expectOk<{ results: { details: object }[] }>(
      vault.admin,
      'GET',
      target,
    );
    expect(results).toEqual([
      expect.objectContaining({
        details: { err_type: 'forbidden', reason: expect.stringContaining(path) },
      }),
    ]);
  });
});

it('a key stops with its venue: freezing is by venue_id', async () => {
  // of this venue no other file of the shared vault has a key
  const key = await importVenueKey('kucoin', 'utf8', {
    secret: randomBytes(24),
    passphrase: 'stopped',
  });
  await allowKeys(vault, [key.id], { operation_classes: ['read'] });
  const balance = { method: 'GET', path: '/api/v1/accounts' };
  await expectOk(vault.admin, 'POST', '/v1/keys/freeze?venue_id=kucoin', {});
  await expectDenied(key, balance, 'the venue is frozen');
  await expectOk(vault.admin, 'POST', '/v1/keys/unfreeze?venue_id=kucoin', {});
  await sign(key, balance);
});

describe('a passphrase', () => {
  it('goes out as it is where the venue wants it so, and as its HMAC where it does not', async () => {
    const passphrase = 'canary passphrase';
    const secret = randomBytes(24);
    const okx = await importVenueKey('okx', 'utf8', { secret, passphrase });
    const kucoin = await importVenueKey('kucoin', 'utf8', { secret, passphrase });
    await allowKeys(vault, [okx.id, kucoin.id], { operation_classes: ['read'] });
    const atOkx = await sign(okx, { method: 'GET', path: '/api/v5/account/balance' });
    expect(atOkx.request.headers['OK-ACCESS-PASSPHRASE']).toBe(passphrase);
    const atKucoin = await sign(kucoin, { method: 'GET', path: '/api/v1/accounts' });
    expect(atKucoin.request.headers['KC-API-PASSPHRASE']).toBe(
      createHmac('sha256', secret).update(passphrase).digest('base64'),
    );
  });
});

describe("Kraken's nonce", () => {
  const secret = randomBytes(64);
  let key: KeyView;

  beforeAll(async () => {
    key = await importVenueKey('kraken', 'base64', { secret });
    await allowKeys(vault, [key.id], { operation_classes: ['read'] });
  }, 90_000);

  const balance = { method: 'POST', path: '/0/private/Balance' };

  it('is in what is signed, and never given twice, however many ask at once', async () => {
    const signed = await Promise.all(Array.from({ length: 40 }, () => sign(key, balance)));
    const nonces = signed.map(({ request }) => {
      const nonce = new URLSearchParams(request.body).get('nonce')!;
      const hash = createHash('sha256')
        .update(nonce + request.body)
        .digest();
      const expected = createHmac('sha512', secret)
        .update(request.path)
        .update(hash)
        .digest('base64');
      expect(request.headers['API-Sign']).toBe(expected);
      return nonce;
    });
    expect(new Set(nonces).size).toBe(nonces.length);
    // in microseconds, like the clock
    expect(Math.abs(Number(nonces[0]) / 1_000 - Date.now())).toBeLessThan(60_000);
  });

  it('rises from one request to the next', async () => {
    let last = 0n;
    for (let count = 0; count < 10; count++) {
      const { request } = await sign(key, balance);
      const nonce = BigInt(new URLSearchParams(request.body).get('nonce')!);
      expect(nonce).toBeGreaterThan(last);
      last = nonce;
    }
  });
});

describe('a key of a venue', () => {
  it('is refused in the wrong type or encoding', async () => {
    for (const [venueId, encoding] of [
      ['kraken', 'utf8'],
      ['coinbase_advanced', 'base64'],
    ] as const) {
      await expect(importVenueKey(venueId, encoding, { secret: randomBytes(32) })).rejects.toThrow(
        'HTTP 422',
      );
    }
  });

  it('at a venue that is not in the catalogue signs raw messages alone', async () => {
    const key = await importVenueKey('elsewhere', 'utf8', { secret: randomBytes(32) });
    await allowKeys(vault, [key.id], { operations: ['sign', 'raw_sign'] });
    const body = { venue_request: { channel: 'rest', method: 'GET', path: '/balance' } };
    const text = 'the key is for no venue';
    await expectRefusal(
      'invalid_inputs',
      vault.admin,
      'POST',
      `/v1/keys/${key.id}/sign`,
      body,
      text,
    );
    const raw = { message: 'x', message_encoding: 'utf8' };
    await expectOk(vault.admin, 'POST', `/v1/keys/${key.id}/raw-sign`, raw);
  });

  it('signs no venue request without its identifier at the venue', async () => {
    const key = await generateKey(vault, {
      type: 'ed25519',
      display_name: 'registered later',
      venue_id: 'binance',
    });
    await allowKeys(vault, [key.id], { operation_classes: ['read'] });
    const request = { method: 'GET', path: '/api/v3/account' };
    const body = { venue_request: { channel: 'rest', ...request } };
    await expectRefusal('invalid_inputs', vault.admin, 'POST', `/v1/keys/${key.id}/sign`, body);
    await expectOk(vault.admin, 'PUT', `/v1/keys/${key.id}`, { venue_api_key: 'GivenByVenue' });
    const signed = await sign(key, request);
    expect(signed.request.headers['X-MBX-APIKEY']).toBe('GivenByVenue');
  });
});

describe('a rule', () => {
  it('that the venue cannot bind is refused with the reason when it is written', async () => {
    const key = await generateKey(vault, {
      type: 'ed25519',
      display_name: 'coinbase',
      venue_id: 'coinbase_advanced',
      venue_api_key: 'organizations/1/apiKeys/2',
    });
    const group = await expectOk<{ id: string }>(vault.admin, 'POST', '/v1/security-groups', {
      display_name: 'unbindable',
      members: [{ member_id: key.id, member_type: 'key' }],
    });
    const write = (when: object) =>
      call(vault.admin, 'POST', '/v1/signing-policies', {
        display_name: 'unbindable',
        security_group_id: group.id,
        rules: [
          { display_name: 'bounded', when: { initiators: 'anyone', ...when }, then: 'allow' },
        ],
      });
    for (const when of [{ symbols: ['BTC-USD'] }, { amount: { max: '1' } }, { sides: ['buy'] }]) {
      const response = await write({ operation_classes: ['trade'], ...when });
      expect(response.status).toBe(422);
      expect((response.body as { err_msg: string }).err_msg).toMatch(/bind|cover|body/i);
    }
    expect((await write({ operation_classes: ['trade'] })).status).toBe(200);
    const binance = { venue_ids: ['binance'], endpoints: ['POST /api/v3/order'] };
    expect((await write(binance)).status).toBe(422);
  });
});

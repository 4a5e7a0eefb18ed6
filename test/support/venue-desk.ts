/** A desk with two venue keys whose messages depend on more than the caller's bytes: a moment, and a rising number. */
import { randomBytes } from 'node:crypto';
import { importSecret } from './desk-import.ts';
import { signedRequest, type SignedRequest } from './signed-request.ts';
import { allowKeys, generateKey } from './standalone-keys.ts';
import type { VaultInUse } from './test-vault.ts';

export interface VenueDesk {
  /** An order whose message names the moment at which it is signed; Ed25519. `now`: the caller's clock, ms. */
  order(now?: number): SignedRequest;
  /** A question whose message has the venue's next number; HMAC. */
  balance(now?: number): SignedRequest;
}

export async function openVenueDesk(vault: VaultInUse): Promise<VenueDesk> {
  const bot = await vault.createMachine();
  const binance = await generateKey(vault, {
    type: 'ed25519',
    display_name: `Orders ${bot.id}`,
    venue_id: 'binance',
    venue_api_key: 'ordersApiKey',
  });
  const kraken = await importSecret(
    vault,
    { type: 'hmac', secret: randomBytes(64), passphrase: '', encoding: 'base64' },
    { venueId: 'kraken', venueApiKey: 'balancesApiKey' },
  );
  await allowKeys(vault, [binance.id, kraken.id], {
    operation_classes: ['trade', 'read'],
    initiators: { user_ids: [bot.id] },
  });
  const signing = (keyId: string, request: object, now: number) =>
    signedRequest(
      bot.credential,
      'POST',
      `/v1/keys/${keyId}/sign`,
      { venue_request: { channel: 'rest', method: 'POST', ...request } },
      { now },
    );
  const query = 'symbol=LTCBTC&side=BUY&type=LIMIT&timeInForce=GTC&quantity=1&price=0.1';
  return {
    order: (now = Date.now()) => signing(binance.id, { path: '/api/v3/order', query }, now),
    balance: (now = Date.now()) => signing(kraken.id, { path: '/0/private/Balance' }, now),
  };
}

/** Parties that believe a relay of the test: its snapshots, as Redis shows them, and a key with a rule on values in USD. */
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { toBase64 } from '@countersign/core/bytes.js';
import { PARTY_NUMBERS } from '@countersign/core/parties.js';
import { priceKey } from '@countersign/runtime/prices/price-feed.js';
import type { StackOptions } from '../../infra/dev/dist/stack/open-stack.js';
import { createTestRelay } from './price-relays.ts';
import { openTestRedis } from './restart-redis.ts';
import type { RestartableNodes } from './restartable-nodes.ts';
import { deliver, signedRequest } from './signed-request.ts';
import { allowKeys, generateKey } from './standalone-keys.ts';
import { eventually, expectOk, PATIENT, type TestVault } from './test-vault.ts';

export interface PricedParties {
  /** What Redis shows from now on: this price of BTC, of that moment. `at`: ms. */
  show(price: string, at: number): Promise<void>;
  /** All three end without a word and start again. */
  killAndStart(): Promise<void>;
  /** The status of an order of so much BTC. */
  order(quantity: string): Promise<number>;
  close(): void;
}

/** `maxUsd`: how much an order may be worth. */
export async function openPricedParties(
  vault: TestVault,
  nodes: RestartableNodes,
  maxUsd: string,
): Promise<PricedParties> {
  const relay = createTestRelay('one');
  const trustFile = join(vault.servers.home, 'believed-prices.json');
  const relays = [{ name: 'one', public_key: toBase64(relay.trusted.publicKey) }];
  writeFileSync(trustFile, JSON.stringify({ relays, relays_needed: 1 }), { mode: 0o600 });
  const options = { ...vault.options, prices: { trustFile } } as StackOptions;
  const redis = openTestRedis(vault.servers.redis.url);
  const order = await openOrders(vault, maxUsd);
  return {
    order,
    async show(price, at) {
      await redis.set(priceKey('one'), relay.snapshot(at, { BTC: price }));
    },
    async killAndStart() {
      await Promise.all(
        PARTY_NUMBERS.map(async (party) => {
          const node = nodes.party(party);
          node.kill('SIGKILL');
          await node.exited;
          await nodes.startParty(party, options);
        }),
      );
      await nodes.untilAlive(PARTY_NUMBERS.length);
    },
    close: () => redis.disconnect(),
  };
}

async function openOrders(vault: TestVault, maxUsd: string): Promise<PricedParties['order']> {
  const { version } = await expectOk<{ version: number }>(
    vault.admin,
    'GET',
    '/v1/system-settings',
  );
  await expectOk(vault.admin, 'PATCH', '/v1/system-settings', {
    version,
    usd_value_conditions_enabled: true,
  });
  const bot = await vault.createMachine();
  const key = await generateKey(vault, {
    type: 'ed25519',
    display_name: `Priced orders ${randomUUID()}`,
    venue_id: 'binance',
    venue_api_key: 'pricedOrdersApiKey',
  });
  const usd = { operation_classes: ['trade'], usd_value: { max: maxUsd } };
  await allowKeys(vault, [key.id], { ...usd, initiators: { user_ids: [bot.id] } });
  return async (quantity) => {
    const query = `symbol=BTCUSDT&side=BUY&type=MARKET&quantity=${quantity}`;
    const request = { channel: 'rest', method: 'POST', path: '/api/v3/order', query };
    const body = { venue_request: request };
    const ask = () => {
      const sent = signedRequest(bot.credential, 'POST', `/v1/keys/${key.id}/sign`, body);
      return deliver(vault.baseUrl, sent, PATIENT);
    };
    let { status } = await ask();
    // between the end of all parties and the first that the gateway hears of the next ones
    await eventually(async () => status !== 504 || ({ status } = await ask()).status !== 504);
    return status;
  };
}

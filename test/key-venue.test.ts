/** An approver proves at which venue a key is good, with nothing but the record that a gateway gave. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { venueOfKey, type ShownEntry } from '@countersign/core/key-birth.js';
import { showRequest } from '../infra/admin/dist/requests/show-request.js';
import { openApprovedDesk, type ApprovedDesk } from './support/approved-desk.ts';
import { deliver } from './support/signed-request.ts';
import { finalRecord } from './support/signing-load.ts';
import { expectOk, openSharedVault, PATIENT, type VaultInUse } from './support/test-vault.ts';

let vault: VaultInUse;
let desk: ApprovedDesk;
beforeAll(async () => {
  vault = await openSharedVault();
  desk = await openApprovedDesk(vault);
}, 90_000);
afterAll(() => vault?.close());

interface Waiting {
  readonly digest: string;
  readonly content: { readonly path: string };
  readonly facts: { readonly venue_id: string };
  readonly key_entry: ShownEntry;
}

it('the record of an order that waits has the entry that made its key, and that names the venue', async () => {
  const order = desk.order();
  expect((await deliver(vault.baseUrl, order, PATIENT)).status).toBe(202);
  const target = `/v1/requests/${order.requestId}`;
  const record = await expectOk<Waiting>(desk.approver.client, 'GET', target);
  const [, , , keyId] = record.content.path.split('/');
  expect(venueOfKey(keyId!, record.key_entry)).toBe('binance');
  const shown = showRequest(JSON.stringify(record));
  expect(shown).toMatchObject({
    record_differs_in: [],
    reads_as: { venue: 'binance', symbols: ['LTCBTC'] },
  });
  const facts = { ...record.facts, venue_id: 'okx' };
  const lied = showRequest(JSON.stringify({ ...record, facts }));
  expect(lied.record_differs_in).toEqual(['venue_id']);
  expect(lied.reads_as).toEqual(shown.reads_as);
});

it('the record of an order that was approved and signed still has it', async () => {
  const order = desk.order();
  expect((await deliver(vault.baseUrl, order, PATIENT)).status).toBe(202);
  const target = `/v1/requests/${order.requestId}`;
  const { digest, content, key_entry } = await expectOk<Waiting>(
    desk.approver.client,
    'GET',
    target,
  );
  await expectOk(desk.approver.client, 'POST', `${target}/approve`, { digest });
  const ended = await finalRecord(desk.approver.client, order.requestId);
  expect(ended).toMatchObject({ status: 'completed', content, key_entry });
});

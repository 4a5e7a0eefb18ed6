/** A bot whose signatures wait for approvals, and who asks and cancels as quickly as it can: what the ledger keeps of it. */
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import type { ClientResponse } from '../client/dist/calls/raw-client.js';
import { openApprovedDesk, type ApprovedDesk } from './support/approved-desk.ts';
import { deliver, signedRequest, type SignedRequest } from './support/signed-request.ts';
import { query } from './support/signing-load.ts';
import { openTestVault, type TestVault } from './support/test-vault.ts';

jest.setTimeout(120_000);

const MIB = 1024 * 1024;
/** In each request and in each cancelling: spaces, which JSON allows. */
const PADDING = 100_000;
const ROUNDS = 20;

let vault: TestVault;
let desk: ApprovedDesk;

beforeAll(async () => {
  vault = await openTestVault();
  desk = await openApprovedDesk(vault);
}, 120_000);

afterAll(() => vault?.close(), 60_000);

async function ledgerBytes(): Promise<number> {
  const [row] = await query<{ bytes: string }>(
    vault.servers.ownerUrl,
    'SELECT sum(octet_length(body)) AS bytes FROM ledger_entry',
    [],
  );
  return Number(row!.bytes);
}

const send = (request: SignedRequest): Promise<ClientResponse> =>
  deliver(vault.baseUrl, request, { prefer: 'wait=30' });

function cancelOf({ requestId }: SignedRequest, padding: number): SignedRequest {
  const target = `/v1/requests/${requestId}/cancel`;
  return signedRequest(desk.bot.credential, 'POST', target, {}, { padding });
}

it('is bounded, and nobody else is kept from asking', async () => {
  const before = await ledgerBytes();
  const answers: ClientResponse[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const order = desk.order({ padding: PADDING });
    const held = await send(order);
    answers.push(held);
    if (held.status === 202) answers.push(await send(cancelOf(order, PADDING)));
  }
  expect(await ledgerBytes()).toBeLessThan(before + 2.5 * MIB);
  const refused = answers.filter(({ status }) => status === 504);
  expect(refused.length).toBeGreaterThan(ROUNDS / 4);
  for (const { headers } of refused) expect(Number(headers['retry-after'])).toBeGreaterThan(0);
  const other = await openApprovedDesk(vault);
  expect((await send(other.order())).status).toBe(202);
});

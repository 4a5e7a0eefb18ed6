/** A bot whose signatures and changes wait for approvals, and who asks and cancels as quickly as it can: what the ledger keeps of it. */
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import type { ClientResponse } from '../client/dist/calls/raw-client.js';
import { openApprovedDesk, type ApprovedDesk } from './support/approved-desk.ts';
import { deliver, signedRequest, type SignedRequest } from './support/signed-request.ts';
import { query } from './support/signing-load.ts';
import { expectOk, openTestVault, type TestUser, type TestVault } from './support/test-vault.ts';

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

function cancelOf(bot: TestUser, { requestId }: SignedRequest): SignedRequest {
  const target = `/v1/requests/${requestId}/cancel`;
  return signedRequest(bot.credential, 'POST', target, {}, { padding: PADDING });
}

/** Asks, and cancels what waits. */
async function flood(bot: TestUser, ask: (round: number) => SignedRequest) {
  const before = await ledgerBytes();
  const answers: ClientResponse[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const request = ask(round);
    const held = await send(request);
    answers.push(held);
    if (held.status === 202) answers.push(await send(cancelOf(bot, request)));
  }
  return { answers, grownBy: (await ledgerBytes()) - before };
}

function expectBounded({ answers, grownBy }: Awaited<ReturnType<typeof flood>>): void {
  expect(grownBy).toBeLessThan(2.5 * MIB);
  const refused = answers.filter(({ status }) => status === 504);
  expect(refused.length).toBeGreaterThan(ROUNDS / 4);
  for (const { headers } of refused) expect(Number(headers['retry-after'])).toBeGreaterThan(0);
}

it('signatures that wait are bounded, and nobody else is kept from asking', async () => {
  expectBounded(await flood(desk.bot, () => desk.order({ padding: PADDING })));
  const other = await openApprovedDesk(vault);
  expect((await send(other.order())).status).toBe(202);
});

it('changes that wait are bounded, counted apart, and no other caller is kept from asking', async () => {
  const [bot, other] = [await vault.createMachine(), await vault.createMachine()];
  await expectOk(vault.admin, 'POST', '/v1/admin-policies', {
    display_name: 'Vaults after one approval',
    action: 'create_vaults',
    effect: 'allow',
    subjects: { user_ids: [bot.id, other.id] },
    approvals: { quorum: 1, user_ids: [vault.adminId] },
  });
  const askVault = ({ credential }: TestUser, name: string, padding = 0) =>
    signedRequest(credential, 'POST', '/v1/vaults', { display_name: name }, { padding });
  expectBounded(await flood(bot, (round) => askVault(bot, `Flood ${round}`, PADDING)));
  expect((await send(askVault(other, 'Of somebody else'))).status).toBe(202);
});

/** A party that contributes what is wrong: nobody gets a signature, and it is named in an alarm. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { SignOutcome } from '@countersign/runtime/jobs/sign-outcome.js';
import pg from 'pg';
import { openHostileGateway, type HostileGateway } from '../support/attacker.ts';
import { importSecret } from '../support/desk-import.ts';
import { fillStock } from '../support/rsa-stock.ts';
import { allowKeys, generateKey, type KeyView } from '../support/standalone-keys.ts';
import { LIAR, openLyingParty, type LyingParty } from '../support/lying-party.ts';
import { signedRequest } from '../support/signed-request.ts';
import { eventually, openTestVault, type TestVault } from '../support/test-vault.ts';

jest.setTimeout(120_000);

let vault: TestVault;
let gateway: HostileGateway;
let liar: LyingParty;
const keys = new Map<string, KeyView>();

beforeAll(async () => {
  vault = await openTestVault();
  const secret = randomBytes(32);
  keys.set(
    'hmac',
    await importSecret(vault, { type: 'hmac', secret, passphrase: '', encoding: 'hex' }),
  );
  const owner = new pg.Pool({ connectionString: vault.servers.ownerUrl, max: 1 });
  await fillStock(vault, owner, 1).finally(() => owner.end());
  keys.set('rsa', await generateKey(vault, { type: 'rsa', display_name: 'RSA' }));
  const ids = [...keys.values()].map(({ id }) => id);
  await allowKeys(vault, ids, { operations: ['raw_sign'] });
  liar = await openLyingParty(vault);
  gateway = await openHostileGateway(vault);
}, 120_000);
afterAll(async () => {
  await gateway?.close();
  await liar?.close();
  await vault?.close();
}, 60_000);

function rawSign(type: string) {
  const path = `/v1/keys/${keys.get(type)!.id}/raw-sign`;
  const body = { message: 'x', message_encoding: 'utf8' };
  return signedRequest(vault.adminCredential, 'POST', path, body).evidence;
}

/** Made anew for each try: on a slow machine one would grow old while a thread for RSA starts. */
async function askPair(type: string): Promise<SignOutcome | undefined> {
  const [outcome] = await gateway.ask(() => [{ evidence: rawSign(type) }], { partner: LIAR });
  return outcome;
}

const alarms = () =>
  vault.stack.signers[0]!.output()
    .split('\n')
    .filter((line) => line.includes('"party_misbehaved"'));

describe.each(['rsa', 'hmac'])('a wrong contribution to an %s signature', (type) => {
  it('gives no signature, and the lead names the party in an alarm', async () => {
    liar.isLying = true;
    expect(await askPair(type)).toMatchObject({
      outcome: 'retry',
      reason: 'partner-share',
      isPartnerAtFault: true,
    });
    // the same lie within a minute is one line, whatever the key: each of them is counted in the alarm's row
    const [alarm] = await eventually(() => (alarms().length > 0 ? alarms() : undefined));
    expect(JSON.parse(alarm!)).toMatchObject({
      event: 'party_misbehaved',
      party: 2,
      reason: 'partner-share',
    });
  });

  it('is what the lie was: without it the same pair signs', async () => {
    liar.isLying = false;
    expect((await askPair(type))?.outcome).toBe('signed');
  });
});

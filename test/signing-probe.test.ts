/**
 * A vault that nobody asks for a signature: whether it could make one is measured all the same. What parties say of
 * themselves is good here throughout, so that nothing but a probe can show it.
 */
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { PartyNumber } from '@countersign/core/parties.js';
import { restartableNodes, type RestartableNodes } from './support/restartable-nodes.ts';
import { query } from './support/signing-load.ts';
import { drill } from './support/drills.ts';
import { eventually, openTestVault, type TestVault } from './support/test-vault.ts';

jest.setTimeout(120_000);

let vault: TestVault;
let nodes: RestartableNodes;

beforeAll(async () => {
  vault = await openTestVault();
  nodes = restartableNodes(vault);
}, 60_000);

afterAll(async () => {
  await nodes?.stopAll();
  await vault?.close();
}, 60_000);

const onRecords = (grant: 'GRANT' | 'REVOKE', party: PartyNumber) =>
  query(
    vault.servers.ownerUrl,
    `${grant} INSERT ON party_${party}.sign_record ${grant === 'GRANT' ? 'TO' : 'FROM'} countersign_party_${party}`,
  );

async function isReady(): Promise<boolean> {
  return (await fetch(`${vault.baseUrl}/health/ready`)).status === 200;
}

async function checks(): Promise<{ signing: string; signers: Record<string, string> }> {
  const response = await fetch(`${vault.baseUrl}/health`);
  return ((await response.json()) as { checks: Awaited<ReturnType<typeof checks>> }).checks;
}

const ALL_WELL = { party_1: 'ok', party_2: 'ok', party_3: 'ok' };

async function countRows(): Promise<unknown> {
  const tables = [
    'request_result',
    ...[1, 2, 3].flatMap((n) => [`party_${n}.sign_record`, `party_${n}.request_message`]),
  ];
  const counts = tables.map((table) => `(SELECT count(*) FROM ${table}) AS "${table}"`);
  return query(vault.servers.ownerUrl, `SELECT ${counts.join(', ')}`);
}

describe('a vault at rest', () => {
  it('is not ready soon after two parties cannot write a record, and ready again once they can', async () => {
    await eventually(isReady);
    const rows = await countRows();
    for (const party of [1, 2] as const) await onRecords('REVOKE', party);
    await eventually(async () => !(await isReady()));
    expect(await checks()).toMatchObject({ signing: 'unavailable', signers: ALL_WELL });
    for (const party of [1, 2] as const) await onRecords('GRANT', party);
    await eventually(isReady);
    expect((await checks()).signing).toBe('ok');
    expect(await countRows()).toEqual(rows);
  });

  drill('stays ready while one party cannot: the other two can', async () => {
    const before = nodes.party(3).output().length;
    await onRecords('REVOKE', 3);
    await eventually(async () => {
      expect(await isReady()).toBe(true);
      return nodes.party(3).output().slice(before).split('records_unwritable').length > 3;
    });
    await onRecords('GRANT', 3);
  });

  it('is not ready once a party has nobody to sign with, and ready again when one is back', async () => {
    await nodes.stopParties(2, 3);
    await eventually(async () => !(await isReady()));
    await nodes.startParty(2);
    await eventually(isReady);
    await nodes.startParty(3);
    await nodes.untilAlive(3);
  });
});

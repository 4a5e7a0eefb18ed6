/** An alarm that a party raised, as it stands in the database. */
import { randomUUID, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { alarmMessage, type AlarmStatement } from '@countersign/core/alarm-statement.js';
import { createAlarmStore } from '@countersign/runtime/alarms/alarm-store.js';
import pg from 'pg';
import { privateKeyOfSeed } from './ledger-builder.ts';
import { partySecret } from './secret-sweep.ts';
import type { TestVault } from './test-vault.ts';

/** Says of party 3 what party 1 does where another sends what no honest one would: signed as party 1, in the database. */
export async function raiseAlarm({ prepared, servers }: TestVault): Promise<void> {
  const genesis = readFileSync(prepared.genesisFile, 'utf8');
  const { genesis_hash: genesisHash } = JSON.parse(genesis) as { genesis_hash: string };
  const statement: AlarmStatement = {
    id: randomUUID(),
    accuser: 'party_1',
    kind: 'party_misbehaved',
    party: 3,
    at: Date.now(),
    requestId: null,
    reason: 'partner-share: the share does not fit the commitment of its party',
    count: 2,
    evidence: Buffer.from('what was sent'),
    evidenceBytes: 13,
  };
  const identity = privateKeyOfSeed(partySecret({ prepared }, 1, 'identity'));
  const signature = sign(null, alarmMessage(statement, genesisHash), identity);
  const pool = new pg.Pool({ connectionString: servers.roleUrls.party_1, max: 1 });
  await createAlarmStore(pool).insert([{ statement, signature }]);
  await pool.end();
}

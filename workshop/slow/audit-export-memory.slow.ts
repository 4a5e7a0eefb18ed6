/** A million entries of the audit log leave a gateway in every format without its growing. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { query } from '../../test/support/signing-load.ts';
import { openTestVault, type TestVault } from '../../test/support/test-vault.ts';

jest.setTimeout(1_800_000);

const ENTRIES = Number(process.env['AUDIT_ENTRIES'] ?? 1_000_000);
/** What pages, the sockets' buffers and garbage that is not collected yet may take beside what it takes at rest. */
const MAX_GROWTH_MIB = 200;

let vault: TestVault;
beforeAll(async () => {
  vault = await openTestVault({ logLevel: 'warn' });
  await query(
    vault.servers.ownerUrl,
    `INSERT INTO refused_request (chain_id, seq, prev_hash, hash, at, action, actor, request_id, err_type, reason)
     SELECT 'made-up', n, decode(repeat('00', 32), 'hex'), sha256(n::text::bytea), now() - n * interval '1 second',
       'create-vault', gen_random_uuid(), gen_random_uuid(), 'forbidden', repeat('x', 100)
     FROM generate_series(1, ${ENTRIES}) AS n`,
  );
}, 900_000);
afterAll(async () => {
  // of a gateway that died the log says why
  if (vault?.stack.gateway.hasExited) process.stderr.write(vault.stack.gateway.output());
  await vault?.close();
}, 60_000);

/** Of the gateway's process, MiB. */
function residentMiB(): number {
  const status = readFileSync(`/proc/${vault.stack.gateway.pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)![1]) / 1024;
}

describe('an export of a million entries', () => {
  it.each(['jsonl', 'csv', 'rfc5424', 'cef'])(
    'as %s takes no more memory than a page',
    async (format) => {
      const before = residentMiB();
      let highest = before;
      let lines = 0;
      const startedAt = Date.now();
      const response = await fetch(`${vault.baseUrl}/v1/audit-logs/export?format=${format}`, {
        headers: { authorization: `ApiKey ${vault.adminCredential.apiKey}` },
      });
      expect(response.status).toBe(200);
      for await (const bytes of response.body!) {
        for (const byte of bytes as Uint8Array) if (byte === 10) lines += 1;
        highest = Math.max(highest, residentMiB());
      }
      process.stderr.write(
        `${format}: ${lines} lines in ${((Date.now() - startedAt) / 1000).toFixed(0)} s, ` +
          `${before.toFixed(0)} MiB before, ${highest.toFixed(0)} MiB at most\n`,
      );
      expect(lines).toBeGreaterThanOrEqual(ENTRIES);
      expect(highest - before).toBeLessThan(MAX_GROWTH_MIB);
    },
  );
});

/** The committed picture of the database must be what the migrations make of an empty one. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeSchema } from './describe-schema.js';
import { migrate } from '@countersign/admin/database/migrate.js';
import { openEmbeddedPostgres } from '@countersign/dev/embedded/postgres.js';
import { checkDrift } from './drift.js';

const home = mkdtempSync(join(tmpdir(), 'countersign-schema-'));
const server = await openEmbeddedPostgres({ dataDir: home, settings: 'fast' });
try {
  await migrate(server.url);
  checkDrift('infra/admin/schema.txt', await describeSchema(server.url));
} finally {
  await server.stop();
  rmSync(home, { recursive: true, force: true });
}

/** Keys, genesis and first administrator of a vault whose database is a copy of the run's template. */
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { prepareVault, type PreparedVault } from '../../infra/dev/dist/stack/prepare-vault.js';
import { preparedFolder, requireEnv, type TestServers } from './test-servers.ts';

/** As the run's setup made them, in a folder that is the vault's own; what is there already is kept. */
export async function openPrepared({ home, roleUrls }: TestServers): Promise<PreparedVault> {
  const made = preparedFolder(requireEnv('COUNTERSIGN_TEST_HOME'));
  const folder = join(home, 'vault');
  if (!existsSync(folder)) {
    cpSync(made, folder, { recursive: true });
    const admin = join(folder, 'admin.json');
    writeFileSync(admin, readFileSync(admin, 'utf8').replaceAll(made, folder));
  }
  return prepareVault(folder, roleUrls);
}

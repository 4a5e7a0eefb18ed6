/** The signer's programs as a party's operator runs them. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { PartyNumber } from '@countersign/core/parties.js';
import type { TestVault } from './test-vault.ts';

const runFile = promisify(execFile);

interface SignerProgram {
  readonly vault: Pick<TestVault, 'prepared'>;
  readonly party: PartyNumber;
  /** As it lies under `signer/bundle/`, without its ending. */
  readonly program: string;
  readonly args: readonly string[];
  /** Its clock is behind by so much, ms. */
  readonly behindMs?: number;
  /** What its environment has instead. */
  readonly change?: Readonly<Record<string, string>>;
}

/** Returns the JSON that it prints. Throws with its errors where it fails. */
export async function runSignerProgram(given: SignerProgram): Promise<Record<string, unknown>> {
  const { vault, party, program, args, behindMs = 0, change } = given;
  const clock = new URL('moving-clock.mjs', import.meta.url);
  clock.search = `?ahead=${-behindMs}`;
  const file = `signer/bundle/${program}.js`;
  const { stdout } = await runFile(process.execPath, ['--import', clock.href, file, ...args], {
    env: {
      PARTY: String(party),
      DATABASE_URL: vault.prepared.roleUrls[`party_${party}`],
      GENESIS_FILE: vault.prepared.genesisFile,
      EVIDENCE_KEY_FILE: vault.prepared.evidenceKeyFile,
      KEY_DIR: vault.prepared.keyDir(party),
      PIN_FILE: vault.prepared.pinFile(`party-${party}`),
      ...change,
    },
  });
  return JSON.parse(stdout) as Record<string, unknown>;
}

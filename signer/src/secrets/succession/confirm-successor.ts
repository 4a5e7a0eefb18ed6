/**
 * `node signer/bundle/secrets/succession/confirm-successor.js <party> <identity public key> <exchange public key>`, with the
 * environment of this party's primary replica. Its operator has read the keys on the new host, and says so in the
 * ledger. A request for other keys than those is not confirmed.
 */
import { parseBase64, toHex } from '@countersign/core/bytes.js';
import { readEvidenceKeys } from '@countersign/core/evidence-key.js';
import { PARTY_NUMBERS, type PartyIdentity } from '@countersign/core/parties.js';
import { successorMessage } from '@countersign/core/party-statements.js';
import { createLedgerStore } from '@countersign/runtime/ledger/ledger-store.js';
import { readTrustedGenesis } from '@countersign/runtime/ledger/trusted-genesis.js';
import { ConfigError, readConfig } from '@countersign/runtime/process/config.js';
import { runProgram } from '@countersign/runtime/process/run-program.js';
import { encodeSuccessor } from '@countersign/vault/ledger/write-entry.js';
import { createFold } from '@countersign/vault/ledger/fold.js';
import type { Successor, VaultState } from '@countersign/vault/state/state.js';
import pg from 'pg';
import { partyKeyFiles } from '../../party/party-keys.js';
import { backupVariables } from '../backup/backup-variables.js';
import { signAsParty } from '../backup/own-keys.js';
import { openKek } from '../kek/open-kek.js';
import { readKnownHistory } from '../../recovery/known-history.js';
import { readPins } from '../../recovery/party-memory.js';

const USAGE = 'usage: confirm-successor <party> <identity public key> <exchange public key>';

async function main(environment: NodeJS.ProcessEnv, args: readonly string[]): Promise<void> {
  const config = readConfig(backupVariables, environment);
  const read = readArguments(args);
  const genesisHash = readTrustedGenesis(config)();
  if (genesisHash === undefined) throw new ConfigError('GENESIS_FILE is not there');
  const pool = new pg.Pool({ connectionString: config.DATABASE_URL, max: 1 });
  try {
    const store = createLedgerStore(pool);
    const fold = createFold({ keys: readEvidenceKeys(config.EVIDENCE_KEY_FILE) });
    // what this party has pinned is in the ledger: nobody shows its operator another one
    const pins = await readPins([config.PIN_FILE]);
    const onRows = (rows: Parameters<typeof fold.advance>[0]) => void fold.advance(rows);
    await readKnownHistory({ store, genesisHash, pins, onRows });
    const successor = requireSame(fold.view.state, read);
    const fact = {
      party: config.PARTY,
      replaced: successor.party,
      identityPublicKey: parseBase64(successor.identityPublicKey)!,
      exchangePublicKey: parseBase64(successor.exchangePublicKey)!,
      requestHash: Buffer.from(successor.requestHash, 'hex'),
    };
    const files = partyKeyFiles(config.KEY_DIR, config.KEK_FILE);
    const own = { files, party: config.PARTY, kek: await openKek(files.kek, config.PARTY) };
    const signature = signAsParty(own, successorMessage(fact, genesisHash));
    await store.append([encodeSuccessor(Date.now(), { ...fact, signature })]);
    const told = { confirmed: successor.party, by: config.PARTY, request: toHex(fact.requestHash) };
    process.stdout.write(`${JSON.stringify(told)}\n`);
  } finally {
    await pool.end();
  }
}

function readArguments(args: readonly string[]): PartyIdentity {
  const [number, identityPublicKey, exchangePublicKey, ...more] = args;
  const party = PARTY_NUMBERS.find((one) => String(one) === number);
  if (
    party === undefined ||
    identityPublicKey === undefined ||
    exchangePublicKey === undefined ||
    more.length > 0
  ) {
    throw new ConfigError(USAGE);
  }
  return { party, identityPublicKey, exchangePublicKey };
}

function requireSame({ successor }: VaultState, read: PartyIdentity): Successor {
  if (successor === undefined) throw new Error('no replacement of a party waits in the ledger');
  const isSame =
    successor.party === read.party &&
    successor.identityPublicKey === read.identityPublicKey &&
    successor.exchangePublicKey === read.exchangePublicKey;
  if (!isSame) {
    throw new Error(
      `the ledger asks for other keys than those: party ${successor.party}, ${successor.identityPublicKey}, ${successor.exchangePublicKey}`,
    );
  }
  return successor;
}

void runProgram('confirm-successor', process.env, (environment) =>
  main(environment, process.argv.slice(2)),
);

/**
 * One party takes part in an import. It opens its part, which must be what the importer committed to, and makes a trial
 * signature with each neighbour. Party i leads with party next(i), so each of the three pairs signs once. A party
 * attests only what all three have found good. Otherwise an importer whose parts do not fit could fill the ledger, run
 * after run, with attestations of the parties to whom they seemed to.
 *
 * An HMAC secret gets no trial, because the lead would join the secret in it. Instead each party checks its two parts
 * against the commitments, and the parties compare that all were told the same ones. So every pair holds the same three
 * parts. Whether they make a secret shows at its first use, and the lead can then tell a lying partner from an importer
 * who split something else.
 */
import { parseBase64 } from '@countersign/core/bytes.js';
import { importInfo } from '@countersign/custody/import-package.js';
import type { Key } from '@countersign/vault/state/state.js';
import type { RecipientStore } from '../imports/recipient-store.js';
import type { CompletedShare } from '../threads/thread-tasks.js';
import type { ThreadPools } from '../threads/thread-pools.js';
import { KEY_VERSION } from '../threads/sealed-share.js';
import type { CeremonyRun } from './ceremony-run.js';
import { KeyRefusedError } from './key-refused-error.js';
import { tryShare, type TrialDeps } from './try-share.js';

export interface ImportDeps extends TrialDeps {
  readonly genesisHash: string;
  readonly recipients: RecipientStore;
  readonly threads: TrialDeps['threads'] & Pick<ThreadPools, 'openImport'>;
}

/** Throws `KeyRefusedError` when this party's part does not fit, `TrialFailedError` when a trial fails. */
export async function runImport(
  deps: ImportDeps,
  run: CeremonyRun,
  key: Key,
): Promise<CompletedShare> {
  const share = await openOwnPart(deps, run, key);
  const differing = await tryShare(deps, run, { key, share, version: KEY_VERSION });
  if (differing !== undefined) {
    throw new KeyRefusedError(`its part and that of party ${differing} are not of one package`);
  }
  return share;
}

async function openOwnPart(
  { genesisHash, recipients, threads }: ImportDeps,
  { self, keyId }: CeremonyRun,
  key: Key,
): Promise<CompletedShare> {
  const part = key.sealedParts.find(({ party }) => party === self.party);
  if (part === undefined) throw new Error(`key ${keyId} has no part for party ${self.party}`);
  const recipient = await recipients.find(part.recipientId);
  if (recipient === undefined) {
    throw new KeyRefusedError('the key that its part is sealed to has been deleted');
  }
  const result = await threads.openImport({
    recipient,
    info: importInfo({ genesisHash, party: self.party, userId: key.createdBy, type: key.type }),
    sealedPart: parseBase64(part.sealed)!,
    keyId,
    version: KEY_VERSION,
    type: key.type,
    publicKey: parseBase64(key.publicKey)!,
  });
  if (!result.ok) throw new KeyRefusedError(result.reason);
  return result;
}

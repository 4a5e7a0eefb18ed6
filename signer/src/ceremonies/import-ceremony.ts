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
import { importInfo, nextParty } from '@countersign/custody/import-package.js';
import { schemeOfKey } from '@countersign/vault/catalogues/open-values.js';
import { CATALOGUES } from '@countersign/vault/catalogues/todays-catalogues.js';
import type { Key } from '@countersign/vault/state/state.js';
import type { PartyNumber } from '@countersign/core/parties.js';
import type { RecipientStore } from '../imports/recipient-store.js';
import type { CompletedShare, StoredKey } from '../threads/thread-tasks.js';
import type { ThreadPools } from '../threads/thread-pools.js';
import type { TrialCommitments } from '../signing/commitment-lender.js';
import { KEY_VERSION, otherParties, type CeremonyRun } from './ceremony-run.js';
import { KeyRefusedError } from './key-refused-error.js';

/** A pair's trial signature is wrong: for good, or for want of the right message. */
export class TrialFailedError extends Error {}

export interface ImportDeps {
  readonly genesisHash: string;
  readonly recipients: RecipientStore;
  readonly threads: Pick<ThreadPools, 'openImport' | 'contributeToTrial' | 'leadTrial'>;
  readonly lender: TrialCommitments;
}

/** Throws `KeyRefusedError` when this party's part does not fit, `TrialFailedError` when a trial fails. */
export async function runImport(
  deps: ImportDeps,
  run: CeremonyRun,
  key: Key,
): Promise<CompletedShare> {
  const share = await openOwnPart(deps, run, key);
  const failedWith = key.type === 'hmac' ? undefined : await signTrials(deps, run, key, share);
  const word = failedWith === undefined ? share.transcriptHash : TRIAL_FAILED;
  await Promise.all(otherParties(run.self.party).map((to) => run.send(to, 'trial-end', word)));
  if (failedWith !== undefined) {
    throw new TrialFailedError(`its part and that of party ${failedWith} do not sign together`);
  }
  for (const [party, heard] of await run.inbox.collect('trial-end')) {
    if (heard.length === 0) throw new Error(`a trial of party ${party} failed`);
    if (Buffer.compare(heard, word) !== 0) {
      throw new KeyRefusedError(`its part and that of party ${party} are not of one package`);
    }
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

/** Returns the party with which this one did not sign, or undefined. */
async function signTrials(
  { threads, lender }: ImportDeps,
  { self, session, keyId, inbox, send }: CeremonyRun,
  key: Key,
  share: CompletedShare,
): Promise<PartyNumber | undefined> {
  const partner = nextParty(self.party);
  const lead = nextParty(partner);
  const stored: StoredKey = {
    keyId,
    version: KEY_VERSION,
    type: key.type,
    wrappedDek: share.wrappedDek,
    sealed: share.sealed,
    publicKey: share.publicKey,
  };
  const common = { key: stored, scheme: schemeOfKey(key, CATALOGUES), trial: { keyId, session } };
  const [lent] = key.type === 'ed25519' ? await lender.lend(1) : [NO_COMMITMENT];
  if (lent === undefined) throw new Error('no commitment was made');
  await send(partner, 'trial-commitment', lent.commitment);
  const leadCommitment = await inbox.receive('trial-commitment', lead);
  const given = await threads.contributeToTrial({ ...common, leadParty: lead, leadCommitment });
  await send(lead, 'trial-contribution', given ?? TRIAL_FAILED);
  const contribution = await inbox.receive('trial-contribution', partner);
  const isSigned = await threads.leadTrial({
    ...common,
    partnerParty: partner,
    contribution,
    slot: lent.slot,
    serial: lent.serial,
  });
  if (!isSigned) return partner;
  return given === undefined ? lead : undefined;
}

/** Stands in place of what a good part would have given. */
const TRIAL_FAILED = new Uint8Array();
const NO_COMMITMENT = { slot: 0, serial: 0, commitment: new Uint8Array() };

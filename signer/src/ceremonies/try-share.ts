/**
 * Three parties try their new shares of a key. Each makes a trial signature with each neighbour: party i leads with
 * party next(i), so each of the three pairs signs once. Then they tell each other how it ended. A party attests only
 * what all three have found good.
 */
import { nextParty } from '@countersign/custody/import-package.js';
import type { PartyNumber } from '@countersign/core/parties.js';
import { schemeOfKey } from '@countersign/vault/catalogues/open-values.js';
import { CATALOGUES } from '@countersign/vault/catalogues/todays-catalogues.js';
import type { Key } from '@countersign/vault/state/state.js';
import type { TrialCommitments } from '../signing/commitment-lender.js';
import type { CompletedShare, StoredKey } from '../threads/thread-tasks.js';
import type { ThreadPools } from '../threads/thread-pools.js';
import { otherParties, type CeremonyRun } from './ceremony-run.js';

/** A pair's trial signature is wrong: for good, or for want of the right message. */
export class TrialFailedError extends Error {
  /** The other one of the pair. */
  readonly party: PartyNumber;

  constructor(party: PartyNumber) {
    super(`its part and that of party ${party} do not sign together`);
    this.party = party;
  }
}

export interface TrialDeps {
  readonly threads: Pick<ThreadPools, 'contributeToTrial' | 'leadTrial'>;
  readonly lender: TrialCommitments;
}

export interface NewShare {
  readonly key: Key;
  readonly share: CompletedShare;
  /** That the share is sealed under. */
  readonly version: number;
}

/**
 * Returns a party whose transcript hash is another one, if there is one. Throws `TrialFailedError` when a trial fails
 * here, and an error when one fails elsewhere. An HMAC secret gets no trial, because the lead would join it.
 */
export async function tryShare(
  deps: TrialDeps,
  run: CeremonyRun,
  tried: NewShare,
): Promise<PartyNumber | undefined> {
  const failedWith = tried.key.type === 'hmac' ? undefined : await signTrials(deps, run, tried);
  const word = failedWith === undefined ? tried.share.transcriptHash : TRIAL_FAILED;
  await Promise.all(otherParties(run.self.party).map((to) => run.send(to, 'trial-end', word)));
  if (failedWith !== undefined) throw new TrialFailedError(failedWith);
  for (const [party, heard] of await run.inbox.collect('trial-end')) {
    if (heard.length === 0) throw new Error(`a trial of party ${party} failed`);
    if (Buffer.compare(heard, word) !== 0) return party;
  }
  return undefined;
}

/** Returns the party with which this one did not sign, or undefined. */
async function signTrials(
  { threads, lender }: TrialDeps,
  { self, session, keyId, inbox, send }: CeremonyRun,
  { key, share, version }: NewShare,
): Promise<PartyNumber | undefined> {
  const partner = nextParty(self.party);
  const lead = nextParty(partner);
  const { wrappedDek, sealed, publicKey } = share;
  const stored: StoredKey = { keyId, version, type: key.type, wrappedDek, sealed, publicKey };
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

/**
 * The lead's part: decide for itself, combine, verify, record result and record in one transaction, and
 * only then tell the gateway.
 */
import { sealEvidence } from '@countersign/core/evidence.js';
import type { SignBatch } from '@countersign/runtime/jobs/sign-batch.js';
import { sealSigningDetails } from '@countersign/runtime/jobs/sign-outcome.js';
import type { RecordedOutcome, SignOutcome } from '@countersign/runtime/jobs/sign-outcome.js';
import { receiptMessage } from '@countersign/api/receipt.js';
import type { LedgerPlace } from '@countersign/vault/ledger/fold.js';
import type { PartnerPart } from '../channel/messages.js';
import type { RecordEntry } from '../records/record-entry.js';
import type { LeadItem, LeadResult } from '../threads/thread-tasks.js';
import { CONTRIBUTION_LIFE_MS } from './given-contributions.js';
import {
  isMisbehaviour,
  outcomeOfEarlier,
  outcomeOfFailure,
  outcomeWithoutMaths,
  overtakenBy,
  retry,
  type LeadFailure,
} from './lead-outcome.js';
import { partiesText, type PartyContext } from './party-context.js';
import { messageOfReceipt, recordOf } from './record-of.js';
import { reviewOverHead, type Reviewed } from './review-item.js';
import { seenBeyond, standOverHead, standsStill } from './stand-over-head.js';
import { logUncomposed, threadInput, type Ready } from './thread-input.js';

type Contributed = Extract<PartnerPart, { kind: 'contributed' }>;

interface Job {
  readonly index: number;
  readonly reviewed: Ready;
  readonly part: Contributed;
  readonly item: LeadItem;
}

/**
 * A signature is sent to the database so long after the last look at the ledger, ms, and not later. With the lease
 * before it and the deadline of the commit after it, that is how long a silent party can take to give one out.
 */
const COMMIT_BEGINS_WITHIN_MS = 2_000;

/** One outcome per item of the batch. Rejects when the records cannot be committed. */
export async function signAsLead(
  context: PartyContext,
  batch: SignBatch,
  parts: readonly PartnerPart[],
): Promise<SignOutcome[]> {
  const place =
    parts.length === batch.items.length ? await standOverHead(context, batch) : undefined;
  if (place === undefined) return batch.items.map(() => retry('not over this head'));
  const release = context.gate.enter(context.follower.state.seq);
  try {
    return await signOver(context, batch, place, parts);
  } finally {
    release.done();
  }
}

async function signOver(
  context: PartyContext,
  batch: SignBatch,
  place: LedgerPlace,
  parts: readonly PartnerPart[],
): Promise<SignOutcome[]> {
  const beyond = seenBeyond(place.state, context.follower);
  const reviews = batch.items.map((item) =>
    reviewOverHead(place.state, beyond, item, context.now()),
  );
  const outcomes = reviews.map((review, index) => outcomeWithoutMaths(review, parts[index]!));
  const jobs = await prepareJobs(context, { ...batch, place }, reviews, parts);
  const results = await context.threads.lead(jobs.map((job) => job.item));
  jobs.forEach((job, index) => {
    outcomes[job.index] = outcomeOf(context, job, results[index]!);
  });
  await withdrawOvertaken(context, { ...batch, place }, reviews, outcomes);
  withdrawAged(context, outcomes);
  const recorded = await record(context, batch, reviews, outcomes);
  // a freeze that was seen while the commit was slow: what is recorded stays here
  await withdrawOvertaken(context, { ...batch, place }, reviews, recorded);
  return recorded;
}

type PlacedBatch = SignBatch & { readonly place: LedgerPlace };

/** A partner counts on it that its contribution comes to nothing once it is old. */
function withdrawAged({ now }: PartyContext, outcomes: SignOutcome[]): void {
  outcomes.forEach((outcome, index) => {
    if (outcome.outcome !== 'signed') return;
    const isAged = Math.abs(now() - outcome.receipt.signedAt) >= CONTRIBUTION_LIFE_MS;
    if (isAged) outcomes[index] = retry('the contribution is too old');
  });
}

async function prepareJobs(
  context: PartyContext,
  batch: PlacedBatch,
  reviews: readonly Reviewed[],
  parts: readonly PartnerPart[],
): Promise<Job[]> {
  const contributed = reviews.flatMap((review, index) => {
    const part = parts[index]!;
    const { verdict } = review;
    if (verdict.kind !== 'ready' || part.kind !== 'contributed') return [];
    const [lead, partner] = part.receipt.parties;
    const isOurs = lead === batch.lead.party && partner === batch.partner.party;
    const message = isOurs ? composeFor(context, batch, part, review) : undefined;
    return message === undefined
      ? []
      : [{ index, reviewed: { ...review, verdict }, part, message }];
  });
  const candidates = await withAcceptedNonces(context, contributed);
  if (candidates.length === 0) return [];
  const shares = await context.shares.load(
    candidates.map(({ reviewed }) => ({
      keyId: reviewed.verdict.signing.key.id,
      session: reviewed.verdict.signing.key.session,
    })),
  );
  const { genesisHash } = context.follower.state;
  // one object for all: a thread is sent it once
  const partnerIdentityKey = identityKeyOf(context, batch.partner.party);
  return candidates.flatMap(({ index, reviewed, part, message }) => {
    const share = shares.get(reviewed.verdict.signing.key.id);
    if (share === undefined) return [];
    const { passphrase } = reviewed.verdict.signing;
    const item: LeadItem = {
      ...threadInput(reviewed, share, message),
      partnerParty: batch.partner.party,
      contribution: part.contribution,
      slot: part.slot,
      serial: part.serial,
      ...(passphrase !== undefined && { passphrase }),
      receiptBytes: receiptMessage(part.receipt, genesisHash),
      partnerReceiptSignature: part.receiptSignature,
      partnerIdentityKey,
    };
    return [{ index, reviewed, part, item }];
  });
}

function composeFor(
  context: PartyContext,
  { place }: PlacedBatch,
  part: Contributed,
  review: Reviewed,
): Uint8Array | undefined {
  try {
    return messageOfReceipt(part, review, place, context.now());
  } catch (error) {
    logUncomposed(context, review, error);
    return undefined;
  }
}

/**
 * Leaves out what would not rise above every number this party has seen for the key. Any two pairs have a
 * party in common, so no number is ever used twice, whoever leads.
 */
async function withAcceptedNonces<Candidate extends { reviewed: Ready; part: Contributed }>(
  { nonces }: PartyContext,
  candidates: readonly Candidate[],
): Promise<readonly Candidate[]> {
  if (candidates.every(({ part }) => part.nonce === 0n)) return candidates;
  const rising = candidates.toSorted((a, b) => (a.part.nonce < b.part.nonce ? -1 : 1));
  const accepted: Candidate[] = [];
  for (const candidate of rising) {
    const { reviewed, part } = candidate;
    const keyId = reviewed.verdict.signing.key.id;
    if (part.nonce === 0n || (await nonces.accept(keyId, part.nonce))) accepted.push(candidate);
  }
  return accepted;
}

function identityKeyOf({ follower }: PartyContext, party: number): Uint8Array {
  const identity = follower.state.parties.find((row) => row.party === party);
  if (identity === undefined) throw new Error(`party ${party} has no identity`);
  return Uint8Array.from(Buffer.from(identity.identityPublicKey, 'base64'));
}

function outcomeOf(context: PartyContext, job: Job, result: LeadResult): SignOutcome {
  if (result.ok) {
    return {
      outcome: 'signed',
      signature: result.signature,
      details: detailsOf(context, job, result.passphrase),
      receipt: job.part.receipt,
      receiptSignatures: [result.receiptSignature, job.part.receiptSignature],
    };
  }
  if (isMisbehaviour(result.reason)) tellMisbehaviour(context, job, result.reason);
  return outcomeOfFailure(result.reason);
}

function tellMisbehaviour({ alarms }: PartyContext, job: Job, reason: LeadFailure): void {
  const [, party] = job.part.receipt.parties;
  const { requestId } = job.reviewed;
  const { receiptBytes, partnerReceiptSignature } = job.item;
  alarms.raise({
    kind: 'party_misbehaved',
    party,
    requestId,
    reason,
    // not the contribution: of an HMAC key it is a part of the secret
    evidence: Buffer.concat([receiptBytes, partnerReceiptSignature]),
  });
}

function detailsOf(
  { evidenceKeys }: PartyContext,
  { reviewed, part }: Job,
  passphrase: string,
): Uint8Array {
  const { key, venue } = reviewed.verdict.signing;
  if (venue === undefined) return new Uint8Array();
  const venueApiKey = key.venueApiKey ?? '';
  const details = { nonce: part.nonce, venueApiKey, passphrase };
  return sealSigningDetails(details, part.receipt, evidenceKeys);
}

/** What was decided must still hold: a freeze may have come during the maths, or during the commit. */
async function withdrawOvertaken(
  context: PartyContext,
  batch: PlacedBatch,
  reviews: readonly Reviewed[],
  outcomes: SignOutcome[],
): Promise<void> {
  const isCurrent = await standsStill(context, batch);
  const beyond = seenBeyond(batch.place.state, context.follower);
  reviews.forEach((review, index) => {
    if (outcomes[index]!.outcome !== 'signed') return;
    const overtaken = isCurrent
      ? overtakenBy(beyond, review, context.now())
      : retry('the fold is not current');
    if (overtaken !== undefined) outcomes[index] = overtaken;
  });
}

async function record(
  context: PartyContext,
  batch: SignBatch,
  reviews: readonly Reviewed[],
  outcomes: readonly SignOutcome[],
): Promise<SignOutcome[]> {
  const entries: (RecordEntry & { readonly index: number })[] = [];
  reviews.forEach((review, index) => {
    const entry = entryOf(context, batch, review, outcomes[index]!);
    if (entry !== undefined) entries.push({ ...entry, index });
  });
  const earlier = await context.records.write(entries);
  const final = [...outcomes];
  entries.forEach(({ index }, position) => {
    const found = earlier[position];
    if (found !== undefined) final[index] = outcomeOfEarlier(found, batch.items[index]!.submission);
  });
  return final;
}

/** A result is recorded for everything decided about a known caller's request. */
function entryOf(
  context: PartyContext,
  batch: SignBatch,
  review: Reviewed,
  outcome: SignOutcome,
): RecordEntry | undefined {
  const { item, verdict } = review;
  if (outcome.outcome === 'retry' || verdict.kind === 'dropped') return undefined;
  if (outcome.outcome === 'denied' && outcome.errType === 'unauthorized') return undefined;
  const decided = { ...review, verdict };
  const sha =
    outcome.outcome === 'signed' ? Buffer.from(outcome.receipt.messageSha256, 'hex') : null;
  const now = context.now();
  const record = recordOf(decided, 'lead', partiesText(batch), now, sha);
  return {
    record:
      outcome.outcome === 'denied'
        ? { ...record, outcome: 'denied', reason: outcome.reason }
        : record,
    result: {
      submission: item.submission,
      receivedAt: item.receivedAt,
      outcome: outcome satisfies RecordedOutcome,
      evidence: sealEvidence(item.evidence, context.evidenceKeys),
    },
    ...(outcome.outcome === 'signed' && { until: now + COMMIT_BEGINS_WITHIN_MS }),
  };
}

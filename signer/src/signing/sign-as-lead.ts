/**
 * The lead decides for itself, combines and verifies. It signs the tree of what it says, writes result and record in
 * one transaction, and only then tells the gateway.
 */
import type { Evidence } from '@countersign/core/evidence.js';
import { sealEvidence } from '@countersign/core/write-evidence.js';
import type { EvidenceKeys } from '@countersign/core/evidence-seal.js';
import type { PartyNumber } from '@countersign/core/parties.js';
import type { SignBatch } from '@countersign/runtime/jobs/sign-batch.js';
import {
  leadLeaf,
  openSigningDetails,
  sealSigningDetails,
  type RecordedOutcome,
  type RetryOutcome,
  type SignOutcome,
} from '@countersign/runtime/jobs/sign-outcome.js';
import type { ReachedLimits } from '@countersign/vault/policy/velocity.js';
import type { LedgerPlace } from '@countersign/vault/ledger/place-types.js';
import type { Contribution, PartnerPart } from '../channel/messages.js';
import { keepWithinLimits } from './within-limits.js';
import type { KnownRequest, RecordEntry } from '../records/record-entry.js';
import type { LoneStatement } from '../threads/lone-statement.js';
import type { LeadItem, LeadResult } from '../threads/thread-tasks.js';
import { areCounted, denyTogether, standTogether, withMissingItems } from './all-or-none.js';
import { plantBatchTree, plantPartnerTree, type BatchTree } from './batch-tree.js';
import { refuseMessage, timedRequest } from './choose-message.js';
import { findEarlierResult } from './earlier-result.js';
import { CONTRIBUTION_LIFE_MS } from './given-contributions.js';
import {
  draftWithoutMaths,
  isMisbehaviour,
  outcomeOfFailure,
  overtakenBy,
  partnerAtFault,
  retry,
  type Draft,
  type LeadFailure,
} from './lead-outcome.js';
import { loneStatement, saidByThread } from './lone-lead.js';
import { partiesText } from './batch-role.js';
import type { PartyContext } from './party-context.js';
import { messageOfReceipt, recordOf } from './record-of.js';
import { canRecord } from './can-record.js';
import { anyFrozen } from './frozen-items.js';
import type { Release } from './release-gate.js';
import { reviewOverHead, type Reviewed } from './review-item.js';
import { seenBeyond, evaluateAtHead, standsStill } from './evaluate-at-head.js';
import { forgetWrongShares, logUncomposed, threadInput, type Ready } from './thread-input.js';

type Contributed = Extract<PartnerPart, { kind: 'contributed' }>;

interface Candidate {
  readonly index: number;
  readonly reviewed: Ready;
  readonly part: Contributed;
  readonly message: Uint8Array;
}

interface Job extends Candidate {
  readonly item: LeadItem;
  /** Where the maths adds nothing to them. */
  readonly details: Uint8Array | undefined;
}

/** What the threads made of it. */
interface Computed {
  readonly items: readonly LeadItem[];
  readonly results: readonly LeadResult[];
}

/**
 * How long after the last look at the ledger a signature may still be sent to the database, ms. With the lease before
 * it and the commit's deadline after it, this bounds how late a silent party can give one out.
 */
const COMMIT_BEGINS_WITHIN_MS = 2_000;

/** A batch with what its partner gave to it, over the head that it names. */
interface LedBatch extends SignBatch {
  readonly place: LedgerPlace;
  readonly contribution: Contribution;
}

/** Undefined where the partner decided nothing. */
type ProvenBatch = LedBatch & { readonly partnerTree: BatchTree | undefined };

/** One outcome per item of the batch. Rejects when the records cannot be committed. */
export async function signAsLead(
  context: PartyContext,
  batch: SignBatch,
  contribution: Contribution,
): Promise<SignOutcome[]> {
  const all = (outcome: RetryOutcome) => batch.items.map(() => outcome);
  batch.stages?.end('partner');
  if (contribution.parts.length !== batch.items.length) {
    return all(partnerAtFault('not one part for each item'));
  }
  const place = await evaluateAtHead(context, batch);
  if (place === undefined) return all(retry('not over this head'));
  if (isAged(context, contribution)) return all(retry(TOO_OLD));
  const release = context.gate.enter(context.follower.state.seq);
  try {
    return await signOver(context, { ...batch, place, contribution }, release);
  } finally {
    release.done();
  }
}

async function signOver(
  context: PartyContext,
  batch: LedBatch,
  release: Release,
): Promise<SignOutcome[]> {
  const startedAt = performance.now();
  const { place, contribution } = batch;
  const beyond = seenBeyond(place.state, context.follower);
  const prices = context.prices.current();
  const items = withMissingItems(batch.items);
  const review = (index: number, reached?: ReachedLimits) =>
    reviewOverHead(place.state, beyond, items[index]!, context.now(), { reached, prices });
  const first = items.map((_, index) => review(index));
  const sent = first.slice(0, batch.items.length);
  const partnerTree = plantPartnerTree(
    { parties: partiesOf(batch), requestIds: sent.map(({ requestId }) => requestId) },
    contribution.parts,
    context.follower.state.genesisHash,
  );
  if (!isTreeSigned(context, batch, partnerTree)) {
    return sent.map(() => partnerAtFault('the partner did not sign its parts'));
  }
  const within = await keepWithinLimits(
    { limits: context.limits, role: 'lead', partner: batch.partner.party, review },
    first,
  );
  const { decided, reviews, outcomes, until } = await within.orGiveBack(() =>
    decide(context, { ...batch, partnerTree }, within.reviews, release),
  );
  const counted = areCounted(
    decided,
    outcomes.map(({ outcome }) => outcome === 'signed'),
  );
  await within.giveBackWhere((index) => !counted[index]!);
  const recorded = await record(context, batch, { reviews, outcomes, until });
  batch.stages?.end('record');
  // if a freeze was seen while the commit was slow, what is recorded stays here
  await withdrawOvertaken(context, batch, reviews, recorded);
  const words = recorded.map(({ outcome }) => outcome);
  context.signingLog.note('signing_led', batch, reviews, words, startedAt);
  return recorded;
}

/** Nothing of it leaves this party yet. */
async function decide(
  context: PartyContext,
  batch: ProvenBatch,
  within: readonly Reviewed[],
  release: Release,
): Promise<Decided & { readonly decided: readonly Reviewed[] }> {
  const decided = denyTogether(within, context.deniedBatches);
  const reviews = decided.slice(0, batch.items.length);
  release.narrow(anyFrozen(reviews));
  const drafts = reviews.map((review, index) =>
    draftWithoutMaths(review, batch.contribution.parts[index]!, partiesOf(batch)),
  ) as Draft[];
  batch.stages?.end('policy');
  const computed = await signDrafts(context, batch, reviews, drafts);
  batch.stages?.end('sign');
  await withdrawOvertaken(context, batch, reviews, drafts);
  const lookedAt = context.leaseClock();
  withdrawAged(context, batch, drafts);
  withdrawBroken(reviews, drafts);
  const outcomes = await prove(context, batch, drafts, computed);
  return { decided, reviews, outcomes, until: lookedAt + COMMIT_BEGINS_WITHIN_MS };
}

/** Of a batch that is wanted whole none is recorded or told while one that was sent with it cannot be. */
function withdrawBroken(reviews: readonly Reviewed[], drafts: Draft[]): void {
  const stands = standTogether(reviews, (index) => drafts[index]!.outcome === 'signed');
  drafts.forEach((draft, index) => {
    const isBroken = draft.outcome === 'signed' && !stands[index]!;
    if (isBroken) drafts[index] = retry('not all of its batch');
  });
}

function partiesOf({ lead, partner }: SignBatch): readonly [PartyNumber, PartyNumber] {
  return [lead.party, partner.party];
}

/** Parts that the partner did not sign would prove nothing to whoever is given them. */
function isTreeSigned(
  { verifyParty, alarms }: PartyContext,
  { partner, contribution, batchId }: LedBatch,
  tree: BatchTree | undefined,
): boolean {
  if (tree === undefined) return true;
  if (verifyParty(partner.party, tree.message, contribution.treeSignature)) return true;
  const reason = `its signature of the parts of batch ${batchId} is wrong`;
  const evidence = Buffer.concat([tree.message, contribution.treeSignature]);
  alarms.raise({ kind: 'party_misbehaved', party: partner.party, reason, evidence });
  return false;
}

/** A partner relies on it that nothing is signed with its contribution once that is old. */
function withdrawAged(context: PartyContext, { contribution }: LedBatch, drafts: Draft[]): void {
  if (!isAged(context, contribution)) return;
  drafts.forEach((draft, index) => {
    if (draft.outcome === 'signed') drafts[index] = retry(TOO_OLD);
  });
}

const TOO_OLD = 'the contribution is too old';

function isAged({ now }: PartyContext, { givenAt }: Contribution): boolean {
  return Math.abs(now() - givenAt) >= CONTRIBUTION_LIFE_MS;
}

/** Replaces the drafts of items that both parties would sign by what the maths gives. */
async function signDrafts(
  context: PartyContext,
  batch: LedBatch,
  reviews: readonly Reviewed[],
  drafts: Draft[],
): Promise<Computed> {
  const composed = reviews.flatMap((review, index) => {
    const found = composeItem(context, batch, review, index);
    if (found === undefined) return [];
    if ('message' in found) return [found];
    drafts[index] = found;
    return [];
  });
  const priced = await keepConfirmed(context, composed, drafts);
  const jobs = await prepareJobs(context, batch, await acceptAll(context, priced));
  const items = jobs.map(({ item }) => item);
  const results = await context.threads.lead(items);
  forgetWrongShares(context.shares, items, results);
  jobs.forEach((job, at) => {
    drafts[job.index] = draftOf(context, job, results[at]!);
  });
  return { items, results };
}

/** The partner names the prices that it decided by. This party lets none into a receipt that it has not seen signed. */
async function keepConfirmed(
  { prices }: PartyContext,
  candidates: readonly Candidate[],
  drafts: Draft[],
): Promise<readonly Candidate[]> {
  const isPriced = candidates.some(({ part }) => part.receipt.prices !== undefined);
  if (!isPriced) return candidates;
  const confirmed = await Promise.all(
    candidates.map(({ part }) => prices.confirm(part.receipt.prices ?? [])),
  );
  return candidates.filter(({ index }, at) => {
    if (confirmed[at] === true) return true;
    drafts[index] = retry('the partner names prices that were not seen here');
    return false;
  });
}

/** What both parties would sign, or why this process would not; undefined where one of them does not sign. */
function composeItem(
  context: PartyContext,
  batch: LedBatch,
  review: Reviewed,
  index: number,
): Candidate | RetryOutcome | undefined {
  const part = batch.contribution.parts[index]!;
  const { verdict, requestId } = review;
  if (verdict.kind !== 'ready' || part.kind !== 'contributed') return undefined;
  const refused = refuseMessage(context, review);
  if (refused !== undefined) return retry(refused);
  const message = composeFor(context, batch, part, review);
  if (message === undefined) return retry('the receipt is of something else');
  const known = context.requests.recall(requestId);
  return known === undefined || known.sha256 === part.receipt.messageSha256
    ? { index, reviewed: { ...review, verdict }, part, message }
    : retry('this party knows another message', known.nonce);
}

function composeFor(
  context: PartyContext,
  batch: LedBatch,
  part: Contributed,
  review: Reviewed,
): Uint8Array | undefined {
  const [lead, partner] = part.receipt.parties;
  if (lead !== batch.lead.party || partner !== batch.partner.party) return undefined;
  try {
    return messageOfReceipt(part, review, batch.place, context.now());
  } catch (error) {
    logUncomposed(context, review, error);
    return undefined;
  }
}

/**
 * Leaves out requests whose nonce does not rise above all that this party has seen for the key. Any two pairs have a
 * party in common, so no nonce is ever used twice, whoever leads. A request keeps its message from now on.
 */
async function acceptAll(
  context: PartyContext,
  candidates: readonly Candidate[],
): Promise<readonly Candidate[]> {
  const rising = candidates.toSorted((a, b) =>
    a.part.nonce === b.part.nonce ? 0 : a.part.nonce < b.part.nonce ? -1 : 1,
  );
  const accepted: Candidate[] = [];
  for (const candidate of rising) {
    if (await isAccepted(context, candidate)) accepted.push(candidate);
  }
  return accepted;
}

async function isAccepted(
  { requests, nonces, now }: PartyContext,
  { reviewed, part }: Candidate,
): Promise<boolean> {
  const { nonce, receipt } = part;
  const isKnown = requests.recall(reviewed.requestId) !== undefined;
  const keyId = reviewed.verdict.signing.key.id;
  if (!isKnown && nonce !== 0n && !(await nonces.accept(keyId, nonce))) return false;
  const message = { at: receipt.signedAt, nonce, sha256: receipt.messageSha256 };
  try {
    await requests.keep(timedRequest(reviewed), message, now());
    return true;
  } catch {
    return false; // another batch with the same request was quicker
  }
}

async function prepareJobs(
  context: PartyContext,
  batch: LedBatch,
  candidates: readonly Candidate[],
): Promise<Job[]> {
  if (candidates.length === 0) return [];
  const shares = await context.shares.load(
    candidates.map(({ reviewed }) => ({
      keyId: reviewed.verdict.signing.key.id,
      session: reviewed.verdict.signing.key.session,
    })),
  );
  return candidates.flatMap((candidate) => {
    const { reviewed, part, message } = candidate;
    const { key, passphrase } = reviewed.verdict.signing;
    const share = shares.get(key.id);
    if (share === undefined) return [];
    const details = passphrase === undefined ? detailsOf(context, candidate, '') : undefined;
    const statement = statementOf(context, batch, candidate, details);
    const item: LeadItem = {
      ...threadInput(reviewed, share, message),
      partnerParty: batch.partner.party,
      contribution: part.contribution,
      slot: part.slot,
      serial: part.serial,
      ...(passphrase !== undefined && { passphrase }),
      ...(statement !== undefined && { statement }),
    };
    return [{ ...candidate, item, details }];
  });
}

/** Undefined for an item of several, and for one whose details are not known before it is signed. */
function statementOf(
  { self, follower }: PartyContext,
  { items }: LedBatch,
  { part, reviewed }: Candidate,
  details: Uint8Array | undefined,
): LoneStatement | undefined {
  if (items.length !== 1 || details === undefined) return undefined;
  const { submission } = reviewed.item;
  const outcome = { outcome: 'signed', submission, details, receipt: part.receipt } as const;
  return loneStatement(self.party, outcome, follower.state.genesisHash);
}

function draftOf(context: PartyContext, job: Job, result: LeadResult): Draft {
  if (result.ok) {
    return {
      outcome: 'signed',
      submission: job.reviewed.item.submission,
      signature: result.signature,
      details: job.details ?? detailsOf(context, job, result.passphrase),
      receipt: job.part.receipt,
    };
  }
  if (isMisbehaviour(result.reason)) accuse(context, job, result.reason);
  return outcomeOfFailure(result.reason);
}

function accuse({ alarms }: PartyContext, { part, reviewed }: Job, reason: LeadFailure): void {
  const [, party] = part.receipt.parties;
  const { requestId, verdict } = reviewed;
  // a part of an HMAC secret is no evidence to be shown around
  const isPublic = verdict.signing.key.type !== 'hmac';
  alarms.raise({
    kind: 'party_misbehaved',
    party,
    requestId,
    reason,
    ...(isPublic && { evidence: part.contribution }),
  });
}

function detailsOf(
  { evidenceKeys }: PartyContext,
  { reviewed, part }: Candidate,
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
  batch: LedBatch,
  reviews: readonly Reviewed[],
  outcomes: (SignOutcome | Draft)[],
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

/** This party signs once for all that it decided, unless a thread has done so with the maths. */
async function prove(
  { self, threads, follower }: PartyContext,
  { partnerTree, contribution }: ProvenBatch,
  drafts: readonly Draft[],
  { items, results }: Computed,
): Promise<SignOutcome[]> {
  const { treeSignature } = contribution;
  const leaves = drafts.map((draft) => (draft.outcome === 'retry' ? undefined : leadLeaf(draft)));
  const tree = plantBatchTree(self.party, leaves, follower.state.genesisHash);
  if (tree === undefined || partnerTree === undefined) {
    return drafts.map((draft) => (draft.outcome === 'retry' ? draft : retry('not proven')));
  }
  const said = saidByThread(tree.message, items, results);
  const signature = said ?? (await threads.signIdentity([tree.message]))[0];
  return drafts.map((draft, index): SignOutcome => {
    if (draft.outcome === 'retry') return draft;
    const proofs = [
      tree.proofAt(index, signature!),
      partnerTree.proofAt(index, treeSignature),
    ] as const;
    return { ...draft, proofs };
  });
}

interface Decided {
  readonly reviews: readonly Reviewed[];
  readonly outcomes: readonly SignOutcome[];
  /** Until when a signature may be sent to the database, by the clock of leases, ms. */
  readonly until: number;
}

async function record(
  context: PartyContext,
  batch: LedBatch,
  decided: Decided,
): Promise<SignOutcome[]> {
  const sealed = createSealing(context.evidenceKeys);
  const entries = decided.reviews.flatMap((_, index) =>
    entryAt(context, batch, { ...decided, sealed }, index),
  );
  if (!(await canRecord(context, decided.reviews))) {
    return decided.outcomes.map(() => retry('nothing can be recorded'));
  }
  const final = [...decided.outcomes];
  const again: IndexedEntry[] = [];
  const known = await context.records.write(entries);
  entries.forEach((entry, at) => {
    const review = decided.reviews[entry.index]!;
    const found = known[at];
    const settled = found === undefined ? entry : settle(context, review, entry, found);
    if ('outcome' in settled) final[entry.index] = settled;
    else if (settled !== entry) again.push(settled);
    else if (entry.message !== undefined) context.requests.give(review.requestId);
  });
  const still = again.length === 0 ? [] : await context.records.write(again);
  again.forEach(({ index, record: { requestId } }, at) => {
    if (still[at] === undefined) context.requests.give(requestId);
    else final[index] = retry('a result stands in the way');
  });
  return final;
}

/** Seals evidence once, however many items share it. */
function createSealing(keys: EvidenceKeys): (evidence: Evidence) => Buffer {
  const known = new Map<Evidence, Buffer>();
  return (evidence) => {
    const sealed = known.get(evidence) ?? sealEvidence(evidence, keys);
    known.set(evidence, sealed);
    return sealed;
  };
}

type IndexedEntry = RecordEntry & { readonly index: number };

/**
 * Keeps to the message of a signature that this process hands on, as if it had made it, even if the database forgets
 * it.
 */
function keepTo({ requests, evidenceKeys }: PartyContext, outcome: SignOutcome): void {
  if (outcome.outcome !== 'signed') return;
  const { receipt, details } = outcome;
  const { requestId, signedAt: at, messageSha256: sha256 } = receipt;
  const { nonce } = openSigningDetails(details, receipt, evidenceKeys);
  requests.adopt(requestId, { at, nonce, sha256 });
}

/** Settles an entry whose request is known: returns an outcome, or an entry to write instead. */
function settle(
  context: PartyContext,
  review: Reviewed,
  entry: IndexedEntry,
  { message, results }: KnownRequest,
): SignOutcome | IndexedEntry {
  const earlier = findEarlierResult(context, review, results);
  if (earlier !== undefined) {
    keepTo(context, earlier);
    return earlier;
  }
  if (entry.message !== undefined && message !== undefined) {
    if (message.sha256 !== entry.message.sha256) {
      context.requests.adopt(review.requestId, message);
      return retry('this party gave another message', message.nonce);
    }
    return { ...entry, message: undefined, isBesideOthers: true };
  }
  return { ...entry, isBesideOthers: true };
}

/** A result is recorded for everything decided about a known caller's request. */
function entryAt(
  context: PartyContext,
  batch: LedBatch,
  { reviews, outcomes, until, sealed }: Decided & { sealed(evidence: Evidence): Buffer },
  index: number,
): IndexedEntry[] {
  const [review, outcome] = [reviews[index]!, outcomes[index]!];
  const { item, verdict, requestId } = review;
  if (outcome.outcome === 'retry' || verdict.kind === 'dropped') return [];
  const part = batch.contribution.parts[index]!;
  const sha =
    outcome.outcome === 'signed' ? Buffer.from(outcome.receipt.messageSha256, 'hex') : null;
  const record = recordOf({ ...review, verdict }, 'lead', partiesText(batch), context.now(), sha);
  const entry = {
    index,
    askedAt: item.evidence.timestampMs,
    record:
      outcome.outcome === 'denied'
        ? { ...record, outcome: 'denied' as const, reason: outcome.reason }
        : record,
    result: {
      receivedAt: item.receivedAt,
      outcome: outcome satisfies RecordedOutcome,
      evidence: sealed(item.evidence),
      batch: review.batch,
    },
  };
  if (outcome.outcome !== 'signed' || part.kind !== 'contributed') return [entry];
  const { signedAt: at, messageSha256: sha256 } = outcome.receipt;
  const isGiven = context.requests.isGiven(requestId);
  const message = isGiven ? undefined : { at, nonce: part.nonce, sha256 };
  return [{ ...entry, message, until }];
}

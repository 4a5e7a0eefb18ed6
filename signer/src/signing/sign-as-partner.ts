/** The partner decides, contributes, records, and only then tells the lead. */
import type { Refusal } from '@countersign/core/errors.js';
import { sha256 } from '@countersign/core/hash.js';
import type { SignBatch } from '@countersign/runtime/jobs/sign-batch.js';
import { contributionLeaf, type Receipt } from '@countersign/api/receipt.js';
import type { ReachedLimits } from '@countersign/vault/policy/velocity.js';
import type { LedgerPlace } from '@countersign/vault/ledger/place-types.js';
import type { Contribution, LentCommitment, PartnerPart } from '../channel/messages.js';
import { keepWithinLimits } from './within-limits.js';
import type { RecordEntry } from '../records/record-entry.js';
import type { StoredShare } from '../records/share-cache.js';
import type { PartnerItem, PartnerResult } from '../threads/thread-tasks.js';
import { areCounted, denyTogether, standTogether, withMissingItems } from './all-or-none.js';
import { plantBatchTree, plantPartnerTree, type BatchTree } from './batch-tree.js';
import type { BorrowedCommitments } from './borrowed-commitments.js';
import { chooseMoment, refuseMessage, timedRequest, type ChosenMoment } from './choose-message.js';
import { partiesText } from './batch-role.js';
import type { PartyContext } from './party-context.js';
import { receiptApproval, recordOf } from './record-of.js';
import { canRecord } from './can-record.js';
import { anyFrozen } from './frozen-items.js';
import type { Release } from './release-gate.js';
import { findDenial, isPostponed, reviewOverHead, type Reviewed } from './review-item.js';
import { seenBeyond, evaluateAtHead, standsStill } from './evaluate-at-head.js';
import { forgetWrongShares, logUncomposed, threadInput, type Ready } from './thread-input.js';

const BORROW_WAIT_MS = 800;

interface Job {
  readonly reviewed: Ready;
  readonly item: PartnerItem;
  readonly lent: LentCommitment;
  readonly nonce: bigint;
  readonly receipt: Receipt;
}

const UNRECORDED: PartnerPart = { kind: 'retry', reason: 'nothing can be recorded' };

/** Stands in where the maths needs no commitment. */
const NO_COMMITMENT: LentCommitment = { slot: 0, serial: 0, commitment: new Uint8Array() };

export async function signAsPartner(
  context: PartyContext,
  borrowed: BorrowedCommitments,
  batch: SignBatch,
): Promise<void> {
  const startedAt = performance.now();
  const givenAt = context.now();
  const place = await evaluateAtHead(context, batch);
  if (place === undefined) {
    const retry: PartnerPart = { kind: 'retry', reason: 'not over this head' };
    const parts = batch.items.map(() => retry);
    await tellLead(context, batch, { givenAt, treeSignature: new Uint8Array(), parts });
    return;
  }
  const placed = { ...batch, place, givenAt };
  const { contribution, reviews } = await contributeAsGiven(context, borrowed, placed);
  await tellLead(context, batch, contribution);
  const words = contribution.parts.map(({ kind }) => kind);
  context.signingLog.note('signing_joined', batch, reviews, words, startedAt);
}

/**
 * A contribution is under way at the lead from now on, and for no longer than a lead would take it. While Redis hangs a
 * message may never be gone, and a freeze must not wait for it. Nor does a freeze wait for parts that can come to no
 * signature.
 */
async function contributeAsGiven(
  context: PartyContext,
  borrowed: BorrowedCommitments,
  batch: PlacedBatch,
): Promise<Contributed> {
  const { seq } = context.follower.state;
  const release = context.gate.enter(seq);
  try {
    const contributed = await contributeOver(context, borrowed, batch, release);
    const { contribution, reviews } = contributed;
    const given = context.gate.enter(seq);
    const isGiven = (index: number) => contribution.parts[index]!.kind === 'contributed';
    const left = reviews.filter((_, index) => isGiven(index));
    given.narrow(anyFrozen(left));
    if (left.length === 0) given.done();
    context.given.add(batch.batchId, batch.lead, given);
    return contributed;
  } finally {
    release.done();
  }
}

interface Contributed {
  readonly contribution: Contribution;
  readonly reviews: readonly Reviewed[];
}

type PlacedBatch = SignBatch & { readonly place: LedgerPlace; readonly givenAt: number };

async function contributeOver(
  context: PartyContext,
  borrowed: BorrowedCommitments,
  batch: PlacedBatch,
  release: Release,
): Promise<Contributed> {
  const head = batch.place.state;
  const beyond = seenBeyond(head, context.follower);
  const prices = context.prices.current();
  const items = withMissingItems(batch.items);
  const review = (index: number, reached?: ReachedLimits) =>
    reviewOverHead(head, beyond, items[index]!, context.now(), { reached, prices });
  const within = await keepWithinLimits(
    { limits: context.limits, role: 'partner', partner: batch.lead.party, review },
    items.map((_, index) => review(index)),
  );
  const made = await within.orGiveBack(() =>
    makeParts(context, borrowed, batch, within.reviews, release),
  );
  const { decided, reviews, parts, computed, results } = made;
  // the tree is signed while the records are committed: it stays here until they are
  const [early] = await Promise.all([
    saidByThread(computed, results) ??
      signTree(context, plantParts(context, batch, reviews, parts)),
    recordParts(context, batch, reviews, parts),
  ]);
  batch.stages?.end('record');
  if (!(await canRecord(context, reviews))) parts.fill(UNRECORDED);
  const left = await withoutOvertaken(context, batch, reviews, parts);
  // what was contributed counts, whatever the lead says of it: nobody can show that it came to nothing
  const counted = areCounted(
    decided,
    left.map(({ kind }) => kind === 'contributed'),
  );
  await within.giveBackWhere((index) => !counted[index]!);
  const treeSignature = await signatureOver(
    context,
    plantParts(context, batch, reviews, left),
    early,
  );
  const contribution = { givenAt: batch.givenAt, parts: left, treeSignature };
  return { contribution, reviews };
}

interface MadeParts {
  /** Of all items, those too that were not sent. */
  readonly decided: readonly Reviewed[];
  readonly reviews: readonly Reviewed[];
  readonly parts: PartnerPart[];
  readonly computed: readonly PartnerItem[];
  readonly results: readonly PartnerResult[];
}

/** Nothing of it leaves this party yet. */
async function makeParts(
  context: PartyContext,
  borrowed: BorrowedCommitments,
  batch: PlacedBatch,
  within: readonly Reviewed[],
  release: Release,
): Promise<MadeParts> {
  const decided = denyTogether(within, context.deniedBatches);
  const reviews = decided.slice(0, batch.items.length);
  release.narrow(anyFrozen(reviews));
  const parts = reviews.map((review) => partWithoutMaths(context, review));
  batch.stages?.end('policy');
  const jobs = await prepareJobs(context, borrowed, batch, reviews);
  const computed = jobs.map(({ job }) => job.item);
  const results = await context.threads.partner(computed);
  batch.stages?.end('sign');
  forgetWrongShares(context.shares, computed, results);
  jobs.forEach(({ index, job }, at) => {
    parts[index] = partOf(job, results[at]!);
  });
  return { decided, reviews, parts, computed, results };
}

/** A contribution is recorded before it leaves. It does not leave if the party gave the request another message. */
async function recordParts(
  context: PartyContext,
  batch: SignBatch,
  reviews: readonly Reviewed[],
  parts: PartnerPart[],
): Promise<void> {
  const denied = new Set<string>();
  const entries = reviews.flatMap((review, index) => {
    const entry = entryOf(context, batch, review, parts[index]!);
    const isDenial = review.verdict.kind === 'denied';
    if (entry === undefined || (isDenial && denied.has(review.requestId))) return [];
    if (isDenial) denied.add(review.requestId);
    return [{ ...entry, index }];
  });
  const known = await context.records.write(entries);
  for (const requestId of denied) context.recordedDenials.put(requestId, true);
  const again: RecordEntry[] = [];
  entries.forEach((entry, at) => {
    const message = known[at]?.message;
    const { requestId } = entry.record;
    if (message !== undefined && message.sha256 !== entry.message?.sha256) {
      context.requests.adopt(requestId, message);
      parts[entry.index] = { kind: 'retry', reason: 'another replica gave another message' };
      return;
    }
    if (message !== undefined) again.push({ ...entry, message: undefined });
    if (entry.message !== undefined) context.requests.give(requestId);
  });
  if (again.length > 0) await context.records.write(again);
}

function entryOf(
  context: PartyContext,
  batch: SignBatch,
  review: Reviewed,
  part: PartnerPart,
): RecordEntry | undefined {
  const { verdict, requestId } = review;
  const parties = partiesText(batch);
  const askedAt = review.item.evidence.timestampMs;
  if (part.kind === 'contributed' && verdict.kind === 'ready') {
    const { messageSha256, signedAt: at } = part.receipt;
    const sha = Buffer.from(messageSha256, 'hex');
    const record = recordOf({ ...review, verdict }, 'partner', parties, context.now(), sha);
    if (context.requests.isGiven(requestId)) return { record, askedAt };
    return { record, askedAt, message: { at, nonce: part.nonce, sha256: messageSha256 } };
  }
  if (verdict.kind !== 'denied' || context.recordedDenials.has(requestId)) return undefined;
  return {
    record: recordOf({ ...review, verdict }, 'partner', parties, context.now(), null),
    askedAt,
  };
}

interface SignedTree {
  readonly message: Buffer;
  readonly signature: Uint8Array;
}

/** The tree that is signed once for the batch: the lead and everybody after it can check each part by it. */
function plantParts(
  { follower }: PartyContext,
  { lead, partner }: SignBatch,
  reviews: readonly Reviewed[],
  parts: readonly PartnerPart[],
): BatchTree | undefined {
  const pair = {
    parties: [lead.party, partner.party] as const,
    requestIds: reviews.map(({ requestId }) => requestId),
  };
  return plantPartnerTree(pair, parts, follower.state.genesisHash);
}

async function signTree(
  { threads }: PartyContext,
  tree: BatchTree | undefined,
): Promise<SignedTree | undefined> {
  if (tree === undefined) return undefined;
  const [signature] = await threads.signIdentity([tree.message]);
  return { message: tree.message, signature: signature! };
}

/** What the thread signed with the contribution of a lone item. It counts only if it is what is said in the end. */
function saidByThread(
  [item]: readonly PartnerItem[],
  [result]: readonly PartnerResult[],
): SignedTree | undefined {
  if (item?.statement === undefined || result?.ok !== true) return undefined;
  const { said: signature } = result;
  return signature && { message: Buffer.from(item.statement), signature };
}

/** Takes the signature made ahead if it is over this tree, or signs anew; empty where nothing was decided. */
async function signatureOver(
  context: PartyContext,
  tree: BatchTree | undefined,
  early: SignedTree | undefined,
): Promise<Uint8Array> {
  const isSigned = tree !== undefined && early?.message.equals(tree.message) === true;
  const signed = isSigned ? early : await signTree(context, tree);
  return signed?.signature ?? new Uint8Array();
}

/** A freeze seen since stops parts that have not left yet, and nothing leaves a replica that lives on old trust. */
async function withoutOvertaken(
  context: PartyContext,
  batch: PlacedBatch,
  reviews: readonly Reviewed[],
  parts: readonly PartnerPart[],
): Promise<PartnerPart[]> {
  const isCurrent = await standsStill(context, batch);
  const seenSince = seenBeyond(batch.place.state, context.follower);
  const left = parts.map((part, index): PartnerPart => {
    if (part.kind !== 'contributed') return part;
    if (!isCurrent) return { kind: 'retry', reason: 'not over this head any more' };
    const refusal = findDenial(seenSince, reviews[index]!, context.now());
    return refusal === undefined ? part : deniedPart(refusal);
  });
  const stands = standTogether(reviews, (index) => left[index]!.kind === 'contributed');
  return left.map((part, index) =>
    part.kind === 'contributed' && !stands[index]! ? NOT_ALL : part,
  );
}

const NOT_ALL: PartnerPart = { kind: 'retry', reason: 'not all of its batch' };
const POSTPONED: PartnerPart = { kind: 'retry', reason: 'not decided yet' };

/** An item that cannot have a job keeps its `retry`. */
async function prepareJobs(
  context: PartyContext,
  borrowed: BorrowedCommitments,
  batch: PlacedBatch,
  reviews: readonly Reviewed[],
): Promise<{ index: number; job: Job }[]> {
  const ready = firstOfEach(reviews).filter(
    ({ reviewed }) => refuseMessage(context, reviewed) === undefined,
  );
  if (ready.length === 0) return [];
  const keys = ready.map(({ reviewed: { verdict } }) => ({
    keyId: verdict.signing.key.id,
    session: verdict.signing.key.session,
  }));
  const needsCommitment = ready.filter(
    ({ reviewed: { verdict } }) => verdict.signing.key.type === 'ed25519',
  );
  const [shares, lent, moments] = await Promise.all([
    context.shares.load(keys),
    borrowed.take(batch.lead, needsCommitment.length, BORROW_WAIT_MS),
    Promise.all(ready.map(({ reviewed }) => momentFor(context, reviewed))),
  ]);
  const jobs = ready.map(async ({ index, reviewed }, at) => {
    const { id, type } = reviewed.verdict.signing.key;
    const commitment = type === 'ed25519' ? lent.shift() : NO_COMMITMENT;
    const [share, moment] = [shares.get(id), moments[at]];
    if (share === undefined || commitment === undefined || moment === undefined) return undefined;
    const choices = { lent: commitment, moment };
    return keptJob(context, batch, { index, reviewed }, share, choices);
  });
  return (await Promise.all(jobs)).filter((job) => job !== undefined);
}

type ReadyItem = { readonly index: number; readonly reviewed: Ready };

/** A request that comes twice in a batch is answered once. */
function firstOfEach(reviews: readonly Reviewed[]): ReadyItem[] {
  const seen = new Set<string>();
  return reviews.flatMap((review, index) => {
    const { verdict, requestId } = review;
    if (verdict.kind !== 'ready' || seen.has(requestId)) return [];
    seen.add(requestId);
    return [{ index, reviewed: { ...review, verdict } }];
  });
}

/** Undefined where the venue's nonce could not be had: no other item may fail with it. */
async function momentFor(
  context: PartyContext,
  reviewed: Ready,
): Promise<ChosenMoment | undefined> {
  try {
    return await chooseMoment(context, reviewed);
  } catch (error) {
    logUncomposed(context, reviewed, error);
    return undefined;
  }
}

/** The request has this message from now on, whatever becomes of the job. */
async function keptJob(
  context: PartyContext,
  batch: PlacedBatch,
  { index, reviewed }: ReadyItem,
  share: StoredShare,
  choices: { readonly lent: LentCommitment; readonly moment: ChosenMoment },
): Promise<{ index: number; job: Job } | undefined> {
  try {
    const job = withStatement(context, batch, makeJob(batch, reviewed, share, choices));
    const message = { ...choices.moment, sha256: job.receipt.messageSha256 };
    await context.requests.keep(timedRequest(reviewed), message, context.now());
    return { index, job };
  } catch (error) {
    logUncomposed(context, reviewed, error);
    return undefined;
  }
}

/** A lone item's statement is known before its contribution: the thread is not woken a second time for it. */
function withStatement({ self, follower }: PartyContext, { items }: SignBatch, job: Job): Job {
  if (items.length !== 1) return job;
  const leaf = contributionLeaf(job.receipt);
  const tree = plantBatchTree(self.party, [leaf], follower.state.genesisHash);
  return tree === undefined ? job : { ...job, item: { ...job.item, statement: tree.message } };
}

function makeJob(
  batch: PlacedBatch,
  reviewed: Ready,
  share: StoredShare,
  { lent, moment }: { readonly lent: LentCommitment; readonly moment: ChosenMoment },
): Job {
  const { signing, approvals } = reviewed.verdict;
  const { requestId } = reviewed;
  const message = signing.messageAt({ ...moment, requestId });
  const receipt: Receipt = {
    requestId,
    keyId: signing.key.id,
    messageSha256: sha256(message).toString('hex'),
    policy: signing.policy,
    ledgerSeq: batch.place.state.seq,
    ledgerHash: batch.place.state.headHash,
    rulesVersion: batch.place.rules,
    parties: [batch.lead.party, batch.partner.party],
    signedAt: moment.at,
    ...(approvals.length > 0 && { approvals: approvals.map(receiptApproval) }),
    ...(signing.prices !== undefined && { prices: signing.prices }),
  };
  const item: PartnerItem = {
    ...threadInput(reviewed, share, message),
    leadParty: batch.lead.party,
    leadCommitment: lent.commitment,
  };
  return { reviewed, item, lent, nonce: moment.nonce, receipt };
}

function partWithoutMaths(context: PartyContext, review: Reviewed): PartnerPart {
  const { verdict } = review;
  if (isPostponed(review)) return POSTPONED;
  if (verdict.kind !== 'ready') return deniedPart(verdict.refusal);
  const reason = refuseMessage(context, review) ?? 'no share or no commitment at hand';
  return { kind: 'retry', reason };
}

function deniedPart({ refused, message }: Refusal): PartnerPart {
  return { kind: 'denied', errType: refused, reason: message };
}

function partOf({ lent, nonce, receipt }: Job, result: PartnerResult): PartnerPart {
  if (!result.ok) return { kind: 'retry', reason: result.reason };
  return {
    kind: 'contributed',
    slot: lent.slot,
    serial: lent.serial,
    contribution: result.contribution,
    nonce,
    receipt,
  };
}

function tellLead(
  context: PartyContext,
  { lead, batchId }: SignBatch,
  contribution: Contribution,
): Promise<void> {
  return context.send(lead, { kind: 'contribution', batchId, ...contribution });
}

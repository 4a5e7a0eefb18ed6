/** The partner's part of a batch: decide, contribute, record, and only then tell the lead. */
import type { Refusal } from '@countersign/core/errors.js';
import { sha256 } from '@countersign/core/hash.js';
import type { SignBatch } from '@countersign/runtime/jobs/sign-batch.js';
import { receiptMessage, type Receipt } from '@countersign/api/receipt.js';
import type { LedgerPlace } from '@countersign/vault/ledger/fold.js';
import type { LentCommitment, PartnerPart } from '../channel/messages.js';
import type { RecordEntry } from '../records/record-entry.js';
import type { StoredShare } from '../records/share-cache.js';
import type { PartnerItem, PartnerResult } from '../threads/thread-tasks.js';
import type { BorrowedCommitments } from './borrowed-commitments.js';
import { partiesText, type PartyContext } from './party-context.js';
import { recordOf } from './record-of.js';
import { findDenial, reviewOverHead, type Reviewed } from './review-item.js';
import { seenBeyond, standOverHead, standsStill } from './stand-over-head.js';
import { logUncomposed, threadInput, type Ready } from './thread-input.js';

const BORROW_WAIT_MS = 800;

interface Job {
  readonly reviewed: Ready;
  readonly item: PartnerItem;
  readonly lent: LentCommitment;
  readonly nonce: bigint;
  readonly receipt: Receipt;
}

/** Stands in where the maths needs no commitment. */
const NO_COMMITMENT: LentCommitment = { slot: 0, serial: 0, commitment: new Uint8Array() };

export async function signAsPartner(
  context: PartyContext,
  borrowed: BorrowedCommitments,
  batch: SignBatch,
): Promise<void> {
  const place = await standOverHead(context, batch);
  if (place === undefined) {
    const retry: PartnerPart = { kind: 'retry', reason: 'not over this head' };
    await tellLead(
      context,
      batch,
      batch.items.map(() => retry),
    );
    return;
  }
  const parts = await contributeAsGiven(context, borrowed, { ...batch, place });
  await tellLead(context, batch, parts);
}

/**
 * What is sent is under way at the lead from now on, and for no longer than a lead would take it: while Redis hangs a
 * message may never be gone, and a freeze must not wait for it.
 */
async function contributeAsGiven(
  context: PartyContext,
  borrowed: BorrowedCommitments,
  batch: PlacedBatch,
): Promise<PartnerPart[]> {
  const { seq } = context.follower.state;
  const release = context.gate.enter(seq);
  try {
    const parts = await contributeOver(context, borrowed, batch);
    context.given.add(batch.batchId, batch.lead, context.gate.enter(seq));
    return parts;
  } finally {
    release.done();
  }
}

type PlacedBatch = SignBatch & { readonly place: LedgerPlace };

async function contributeOver(
  context: PartyContext,
  borrowed: BorrowedCommitments,
  batch: PlacedBatch,
): Promise<PartnerPart[]> {
  const head = batch.place.state;
  const beyond = seenBeyond(head, context.follower);
  const reviews = batch.items.map((item) => reviewOverHead(head, beyond, item, context.now()));
  const parts = reviews.map(partWithoutMaths);
  const ready = reviews.filter((review): review is Ready => review.verdict.kind === 'ready');
  const jobs = await prepareJobs(context, borrowed, batch, ready);
  const results = await context.threads.partner([...jobs.values()].map((job) => job.item));
  const entries = deniedEntries(context, batch, reviews);
  [...jobs].forEach(([requestId, job], index) => {
    const part = partOf(job, results[index]!);
    parts[reviews.findIndex((review) => review.requestId === requestId)] = part;
    if (part.kind !== 'contributed') return;
    const sha = Buffer.from(job.receipt.messageSha256, 'hex');
    const record = recordOf(job.reviewed, 'partner', partiesText(batch), context.now(), sha);
    entries.push({ record });
  });
  await context.records.write(entries);
  return withoutOvertaken(context, batch, reviews, parts);
}

/** A freeze that was seen since stops what has not left yet; and nothing leaves a replica that lives on old trust. */
async function withoutOvertaken(
  context: PartyContext,
  batch: PlacedBatch,
  reviews: readonly Reviewed[],
  parts: readonly PartnerPart[],
): Promise<PartnerPart[]> {
  const isCurrent = await standsStill(context, batch);
  const seenSince = seenBeyond(batch.place.state, context.follower);
  return parts.map((part, index) => {
    if (part.kind !== 'contributed') return part;
    if (!isCurrent) return { kind: 'retry', reason: 'not over this head any more' };
    const refusal = findDenial(seenSince, reviews[index]!, context.now());
    return refusal === undefined ? part : deniedPart(refusal);
  });
}

/** Jobs by request id; an item that cannot have one keeps its `retry`. */
async function prepareJobs(
  context: PartyContext,
  borrowed: BorrowedCommitments,
  batch: PlacedBatch,
  ready: readonly Ready[],
): Promise<Map<string, Job>> {
  const jobs = new Map<string, Job>();
  if (ready.length === 0) return jobs;
  const keys = ready.map(({ verdict }) => ({
    keyId: verdict.signing.key.id,
    session: verdict.signing.key.session,
  }));
  const needsCommitment = ready.filter(({ verdict }) => verdict.signing.key.type === 'ed25519');
  const [shares, lent, nonces] = await Promise.all([
    context.shares.load(keys),
    borrowed.take(batch.lead, needsCommitment.length, BORROW_WAIT_MS),
    takeNonces(context, ready),
  ]);
  ready.forEach((reviewed, index) => {
    const { id, type } = reviewed.verdict.signing.key;
    const commitment = type === 'ed25519' ? lent.shift() : NO_COMMITMENT;
    const share = shares.get(id);
    const nonce = nonces[index];
    if (share === undefined || commitment === undefined || nonce === undefined) return;
    const choices = { lent: commitment, nonce };
    try {
      jobs.set(reviewed.requestId, makeJob(context, batch, reviewed, share, choices));
    } catch (error) {
      logUncomposed(context, reviewed, error);
    }
  });
  return jobs;
}

/**
 * For each item the venue's rising number, above all that this party has seen; 0 for no need of one, and
 * undefined where none could be had, which is no other item's fault.
 */
function takeNonces(
  context: PartyContext,
  ready: readonly Ready[],
): Promise<(bigint | undefined)[]> {
  const { nonces, now } = context;
  return Promise.all(
    ready.map(async (reviewed) => {
      const { key, nonceUnit } = reviewed.verdict.signing;
      if (nonceUnit === undefined) return 0n;
      const time = BigInt(now());
      try {
        return await nonces.take(key.id, nonceUnit === 'us' ? time * 1_000n : time);
      } catch (error) {
        logUncomposed(context, reviewed, error);
        return undefined;
      }
    }),
  );
}

function makeJob(
  context: PartyContext,
  batch: PlacedBatch,
  reviewed: Ready,
  share: StoredShare,
  { lent, nonce }: { readonly lent: LentCommitment; readonly nonce: bigint },
): Job {
  const { signing } = reviewed.verdict;
  const { requestId } = reviewed;
  const at = context.now();
  const message = signing.messageAt({ at, nonce, requestId });
  const receipt: Receipt = {
    requestId,
    keyId: signing.key.id,
    messageSha256: sha256(message).toString('hex'),
    policy: signing.policy,
    ledgerSeq: batch.place.state.seq,
    ledgerHash: batch.place.state.headHash,
    rulesVersion: batch.place.rules,
    parties: [batch.lead.party, batch.partner.party],
    signedAt: at,
  };
  const item: PartnerItem = {
    ...threadInput(reviewed, share, message),
    leadParty: batch.lead.party,
    leadCommitment: lent.commitment,
    receiptBytes: receiptMessage(receipt, context.follower.state.genesisHash),
  };
  return { reviewed, item, lent, nonce, receipt };
}

function partWithoutMaths({ verdict }: Reviewed): PartnerPart {
  return verdict.kind === 'ready'
    ? { kind: 'retry', reason: 'no share or no commitment at hand' }
    : deniedPart(verdict.refusal);
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
    receiptSignature: result.receiptSignature,
  };
}

function deniedEntries(
  context: PartyContext,
  batch: SignBatch,
  reviews: readonly Reviewed[],
): RecordEntry[] {
  return reviews.flatMap((review) => {
    const { verdict } = review;
    if (verdict.kind !== 'denied') return [];
    const denied = { ...review, verdict };
    return [{ record: recordOf(denied, 'partner', partiesText(batch), context.now(), null) }];
  });
}

function tellLead(
  context: PartyContext,
  batch: SignBatch,
  parts: readonly PartnerPart[],
): Promise<void> {
  return context.send(batch.lead, { kind: 'contribution', batchId: batch.batchId, parts });
}

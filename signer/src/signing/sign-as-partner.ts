/** The partner's part of a batch: decide, contribute, record, and only then tell the lead. */
import { parseBase64 } from '@countersign/shared/bytes.js';
import type { SignBatch } from '@countersign/shared/jobs/sign-batch.js';
import { receiptMessage, type Receipt } from '@countersign/shared/signing/receipt.js';
import type { LentCommitment, PartnerPart } from '../channel/messages.js';
import type { RecordEntry } from '../records/record-writer.js';
import type { StoredShare } from '../records/share-store.js';
import type { PartnerItem, PartnerResult } from '../threads/frost-tasks.js';
import type { BorrowedCommitments } from './borrowed-commitments.js';
import { isFoldCurrent, partiesText, type PartyContext } from './party-context.js';
import { recordOf } from './record-of.js';
import { reviewItem, type Reviewed } from './review-item.js';

const BORROW_WAIT_MS = 800;

type Ready = Reviewed & { verdict: { kind: 'ready' } };

interface Job {
  readonly reviewed: Ready;
  readonly item: PartnerItem;
  readonly lent: LentCommitment;
  readonly receipt: Receipt;
}

export async function signAsPartner(
  context: PartyContext,
  borrowed: BorrowedCommitments,
  batch: SignBatch,
): Promise<void> {
  if (!(await isFoldCurrent(context, batch.ledgerSeq))) {
    const retry: PartnerPart = { kind: 'retry', reason: 'the fold is not current' };
    await tellLead(
      context,
      batch,
      batch.items.map(() => retry),
    );
    return;
  }
  const { state } = context.follower;
  const reviews = batch.items.map((item) => reviewItem(state, item, context.now()));
  const parts = reviews.map(partWithoutMaths);
  const ready = reviews.filter((review): review is Ready => review.verdict.kind === 'ready');
  const jobs = await prepareJobs(context, borrowed, batch, ready);
  const results = await context.threads.partner([...jobs.values()].map((job) => job.item));
  const entries = deniedEntries(context, batch, reviews);
  [...jobs].forEach(([requestId, job], index) => {
    const part = partOf(job, results[index]!);
    parts[reviews.findIndex((review) => review.requestId === requestId)] = part;
    if (part.kind !== 'contributed') return;
    const record = recordOf(job.reviewed, 'partner', partiesText(batch), context.now());
    entries.push({ record });
  });
  await context.records.write(entries);
  await tellLead(context, batch, parts);
}

/** Jobs by request id; an item that cannot have one keeps its `retry`. */
async function prepareJobs(
  context: PartyContext,
  borrowed: BorrowedCommitments,
  batch: SignBatch,
  ready: readonly Ready[],
): Promise<Map<string, Job>> {
  const jobs = new Map<string, Job>();
  if (ready.length === 0) return jobs;
  const keys = ready.map(({ verdict }) => ({
    keyId: verdict.signing.key.id,
    session: verdict.signing.key.session,
  }));
  const [shares, lent] = await Promise.all([
    context.shares.load(keys),
    borrowed.take(batch.lead, ready.length, BORROW_WAIT_MS),
  ]);
  ready.forEach((reviewed, index) => {
    const share = shares.get(reviewed.verdict.signing.key.id);
    const commitment = lent[index];
    if (share === undefined || commitment === undefined) return;
    jobs.set(reviewed.requestId, makeJob(context, batch, reviewed, share, commitment));
  });
  return jobs;
}

function makeJob(
  context: PartyContext,
  batch: SignBatch,
  reviewed: Ready,
  share: StoredShare,
  lent: LentCommitment,
): Job {
  const { signing, messageSha256 } = reviewed.verdict;
  const receipt: Receipt = {
    requestId: reviewed.requestId,
    keyId: signing.key.id,
    messageSha256: messageSha256.toString('hex'),
    policy: signing.policy,
    ledgerSeq: reviewed.ledgerSeq,
    parties: [batch.lead.party, batch.partner.party],
    signedAt: context.now(),
  };
  const item: PartnerItem = {
    ...threadInput(reviewed, share),
    leadParty: batch.lead.party,
    leadCommitment: lent.commitment,
    receiptBytes: receiptMessage(receipt, context.follower.state.genesisHash),
  };
  return { reviewed, item, lent, receipt };
}

/** What both roles give the thread of an item. */
export function threadInput(reviewed: Ready, share: StoredShare) {
  const { item, digest, verdict } = reviewed;
  return {
    evidence: {
      digest,
      assertion: item.evidence.assertion,
      callerPublicKey: verdict.callerPublicKey,
    },
    key: {
      keyId: share.keyId,
      version: share.version,
      wrappedDek: share.wrappedDek,
      sealed: share.sealed,
      groupPublicKey: parseBase64(verdict.signing.key.publicKey)!,
    },
    message: verdict.signing.message,
    scheme: verdict.signing.scheme,
  };
}

function partWithoutMaths({ verdict }: Reviewed): PartnerPart {
  return verdict.kind === 'ready'
    ? { kind: 'retry', reason: 'no share or no commitment at hand' }
    : { kind: 'denied', errType: verdict.refusal.refused, reason: verdict.refusal.message };
}

function partOf({ lent, receipt }: Job, result: PartnerResult): PartnerPart {
  if (!result.ok) return { kind: 'retry', reason: result.reason };
  if (result.receiptSignature === undefined) throw new Error('the receipt was not signed');
  return {
    kind: 'contributed',
    slot: lent.slot,
    serial: lent.serial,
    commitment: result.ownCommitment,
    share: result.signatureShare,
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
    return [{ record: recordOf(denied, 'partner', partiesText(batch), context.now()) }];
  });
}

function tellLead(
  context: PartyContext,
  batch: SignBatch,
  parts: readonly PartnerPart[],
): Promise<void> {
  return context.send(batch.lead, { kind: 'contribution', batchId: batch.batchId, parts });
}

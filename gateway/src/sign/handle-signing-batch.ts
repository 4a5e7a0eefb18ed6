/**
 * Handles a request for several signatures. What holds for all of it is checked once. From then on each item is a
 * request of its own: it is refused here and put on record, or sent to the parties.
 */
import { randomBytes } from 'node:crypto';
import { itemIdOf } from '@countersign/core/batch-item.js';
import { deny } from '@countersign/core/denials.js';
import { isRefusal, type Refusal } from '@countersign/core/errors.js';
import { refuseAsking } from '@countersign/vault/policy/released-approvals.js';
import {
  readBatch,
  type ReadBatch,
  type SigningBatch,
} from '@countersign/vault/operations/signing-batches.js';
import {
  findAllowableTarget,
  type Asking,
  type ReadySigning,
} from '@countersign/vault/operations/signing-operation.js';
import type { Answer, SignedExchange } from '../admission/exchange.js';
import { askedNow } from '../requests/asked-request.js';
import { parseIdempotencyKey } from '../requests/idempotency.js';
import { refuseCaller } from '../requests/refuse-caller.js';
import { USED_BEFORE } from '../requests/sign-answer.js';
import { sayingUndecided } from '../requests/undecided.js';
import { askingNow, evaluateHere, refuseWithoutParties } from './admit-signing.js';
import { awaitItems, type DecidedItem } from './await-items.js';
import { findEarlier } from './earlier-signing.js';
import { answerOfEarlierBatch } from './earlier-batch.js';
import type { SigningDeps } from './handle-signing-operation.js';
import { endOf } from './signing-log.js';

/**
 * Resolves to 200 with a result for each item, to 202 while some have none, or to a refusal of the whole. Throws 504
 * when nobody can sign or a store cannot be reached.
 */
export async function handleSigningBatch(
  deps: SigningDeps,
  batch: SigningBatch,
  exchange: SignedExchange,
): Promise<Answer> {
  const { requestId, params, arrivedAt: since } = exchange;
  const note = (outcome: 'denied' | 'failed' | 'repeated') =>
    deps.signingLog.note({ requestId, outcome, operation: batch.one, params, since });
  const admitted = await admitBatch(deps, batch, exchange).catch((error: unknown) => {
    note('failed');
    throw error;
  });
  if (admitted.step === 'answer') {
    note('repeated');
    return admitted.answer;
  }
  if (admitted.step === 'refuse') {
    note(endOf(admitted.refusal) === 'failed' ? 'failed' : 'denied');
    const keyId = keyIdOf(deps, batch, exchange);
    return refuseCaller(deps, batch.id, exchange, admitted.refusal, { keyId });
  }
  await recordRefused(deps, batch, exchange, admitted.items);
  return sayingUndecided(() => awaitItems(deps, exchange, batch.id, admitted.items));
}

type AdmittedBatch =
  | { readonly step: 'refuse'; readonly refusal: Refusal }
  | { readonly step: 'answer'; readonly answer: Answer }
  | { readonly step: 'sign'; readonly items: readonly DecidedItem[] };

async function admitBatch(
  deps: SigningDeps,
  batch: SigningBatch,
  exchange: SignedExchange,
): Promise<AdmittedBatch> {
  const key = parseIdempotencyKey(exchange.request);
  if (isRefusal(key)) return { step: 'refuse', refusal: key };
  const asking = askingNow(deps, exchange);
  const read = readWhole(deps, batch, exchange, asking);
  const repeated = { operationId: batch.id, answerOf: answerOfEarlierBatch(deps, exchange) };
  const earlier = await findEarlier(deps, repeated, exchange, key, 'find');
  if (earlier !== undefined) return earlier;
  if (isRefusal(read)) return { step: 'refuse', refusal: read };

  const items = decideItems(deps, exchange, read, asking);
  const isAnyReady = items.some(({ decision }) => !isRefusal(decision));
  if (isAnyReady) refuseWithoutParties(deps);
  // only now: a request that was refused has not used its key
  const winner = await findEarlier(deps, repeated, exchange, key, 'claim');
  if (winner !== undefined) return winner;
  const isUsed = items.some(({ itemId }) => deps.dispatcher.isUnderWay(itemId));
  return isUsed ? { step: 'answer', answer: USED_BEFORE } : { step: 'sign', items };
}

/** The batch, unless nothing in it could be allowed, whatever it holds: that is found before it is read. */
function readWhole(
  { follower }: SigningDeps,
  { one }: SigningBatch,
  { params, evidence }: SignedExchange,
  asking: Asking,
): ReadBatch | Refusal {
  const { state, optimistic } = follower.view;
  const initiator = optimistic.users.rows.get(asking.initiator.id) ?? asking.initiator;
  const target = findAllowableTarget(state, one, params, asking);
  if (isRefusal(target)) return target;
  const newest = findAllowableTarget(optimistic, one, params, { ...asking, initiator });
  if (isRefusal(newest)) return newest;
  return readBatch(evidence)!;
}

function decideItems(
  deps: SigningDeps,
  { requestId, evidence, stages, trace }: SignedExchange,
  { items, isAllOrNone }: ReadBatch,
  asking: Asking,
): DecidedItem[] {
  const decisions = items.map((matched) => {
    const ready = evaluateHere(deps, matched, evidence, asking);
    return isRefusal(ready) ? ready : (refuseAsking(ready.asked) ?? ready);
  });
  const refused = isAllOrNone ? decisions.findIndex(isRefusal) : -1;
  const { receivedAt } = asking;
  return decisions.map((decided, index) => {
    const decision = refused === -1 ? decided : together(decided, decisions[refused]!, refused);
    const itemId = itemIdOf(requestId, index);
    if (isRefusal(decision)) return { itemId, index, decision };
    const submission = randomBytes(16).toString('hex');
    const item = { submission, receivedAt, nonce: 0n, evidence, index, trace };
    const asked = askedNow(itemId, decision, () => deps.follower.state, stages);
    return { itemId, index, decision: { item, asked } };
  });
}

/** An item of a batch of which another is refused, where all or none are wanted. */
function together(
  decided: ReadySigning | Refusal,
  refused: ReadySigning | Refusal,
  index: number,
): Refusal {
  if (isRefusal(decided)) return decided;
  const refusal = refused as Refusal;
  return { ...refusal, ...deny('not_all', `${index}`, refusal.message) };
}

function keyIdOf(
  { follower }: SigningDeps,
  { one }: SigningBatch,
  { params }: SignedExchange,
): string | undefined {
  const target = one.findTarget(follower.state, params);
  return isRefusal(target) ? params['key_id'] : target.key.id;
}

/** Each on record under its own id before its caller is told. */
async function recordRefused(
  deps: SigningDeps,
  batch: SigningBatch,
  exchange: SignedExchange,
  items: readonly DecidedItem[],
): Promise<void> {
  const keyId = keyIdOf(deps, batch, exchange);
  const { params, arrivedAt: since } = exchange;
  await Promise.all(
    items.map(async ({ itemId: requestId, decision }) => {
      if (!isRefusal(decision)) return;
      const operation = batch.one;
      deps.signingLog.note({ requestId, outcome: endOf(decision), operation, params, since });
      await refuseCaller(deps, operation.id, { ...exchange, requestId }, decision, { keyId });
    }),
  );
}

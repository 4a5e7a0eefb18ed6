/** Draws what this party does for a request, where an operator collects spans and its gateway asked for a picture. */
import { requestIdOf, digestOf } from '@countersign/core/evidence.js';
import type { SignBatch, SignItem } from '@countersign/runtime/jobs/sign-batch.js';
import { openStages } from '@countersign/runtime/tracing/stage-clock.js';
import type { Tracing } from '@countersign/runtime/tracing/tracing.js';
import { askedSigning } from '@countersign/vault/operations/asked-signing.js';
import type { Role } from './sign-tally.js';

/** To be called when the batch is taken. Its stages are noted only if they will be shown. */
export function followBatch({ isOn }: Pick<Tracing, 'isOn'>, batch: SignBatch): SignBatch {
  const isWanted = isOn && batch.items.some(({ trace }) => trace !== undefined);
  return isWanted ? { ...batch, stages: openStages() } : batch;
}

/** Ends its last stage, and draws it once for each request that it has items of. */
export function drawBatch(tracing: Tracing, role: Role, { items, stages }: SignBatch): void {
  if (stages === undefined) return;
  stages.end('answer');
  const requests = new Map(items.map((item) => [item.evidence, item]));
  for (const item of requests.values()) drawRequest(tracing, role, item, stages);
}

/** The request's id is read from its evidence: what the gateway says names nothing here. */
function drawRequest(
  tracing: Tracing,
  role: Role,
  { evidence, index, trace }: SignItem,
  { startedAt, stages }: NonNullable<SignBatch['stages']>,
): void {
  if (trace === undefined) return;
  const requestId = requestIdOf(digestOf(evidence));
  const action = askedSigning(evidence, index).matched?.operation.id;
  tracing.start({ role, requestId, action, parent: trace, startedAt })?.end(stages);
}

import type { PolicyReference, Refusal } from '@countersign/core/errors.js';
import { UUID_PATTERN } from '@countersign/core/hash.js';

/** An authenticated request that was refused, as it goes on record. */
export interface RefusedRequest {
  /** Time of the refusal, ms. */
  readonly at: number;
  readonly action: string;
  readonly actorId: string;
  readonly requestId: string;
  readonly refusal: Refusal;
  readonly vaultId?: string | undefined;
  readonly walletAddress?: string | undefined;
  readonly keyId?: string | undefined;
  /** The sealed request, if policies refused a signature. It is not part of the chain of records. */
  readonly evidence?: Buffer | undefined;
}

/** Larger evidence is not kept: whoever has no rights at all can be refused as often as they like. */
export const MAX_REFUSED_EVIDENCE = 8_192;

/** The fields of a row that its chain covers, in the order in which they are hashed and stored. */
export function refusedRequestFields(refused: RefusedRequest): (string | number | null)[] {
  return [
    refused.at,
    refused.action,
    refused.actorId,
    refused.requestId,
    refused.refusal.refused,
    refused.refusal.message,
    refused.refusal.policy === undefined ? null : policyText(refused.refusal.policy),
    uuidOrNull(refused.vaultId),
    refused.walletAddress ?? null,
    uuidOrNull(refused.keyId),
  ];
}

/** A path parameter is the caller's text: it is recorded only if it has the form of an id. */
function uuidOrNull(text: string | undefined): string | null {
  return text !== undefined && UUID_PATTERN.test(text) ? text : null;
}

/** What {@link policyText} wrote; undefined for null, and for anything else. */
export function readPolicyText(text: string | null): PolicyReference | undefined {
  const [, id, version, ruleId] = /^([^/]+)\/v(\d+)(?:\/([^/]+))?$/.exec(text ?? '') ?? [];
  return id === undefined ? undefined : { id, version: Number(version), ruleId };
}

/** `<policy id>/v<version>[/<rule id>]` */
function policyText(policy: PolicyReference): string {
  const rule = policy.ruleId === undefined ? '' : `/${policy.ruleId}`;
  return `${policy.id}/v${policy.version}${rule}`;
}

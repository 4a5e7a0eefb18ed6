/**
 * Operations that ask for a signature. They touch the ledger only if a rule asks for approvals. The gateway and both
 * parties evaluate the same evidence, each over its own fold.
 */
import type * as s from '@countersign/core/shapes.js';
import { deny } from '@countersign/core/denials.js';
import { isRefusal, type Refusal, type RuleReference } from '@countersign/core/errors.js';
import type { Evidence } from '@countersign/core/evidence.js';
import { freezesOfKey } from '../state/freezes.js';
import type { User, VaultState } from '../state/state.js';
import { authorizeAdmin } from '../policy/admin-policy.js';
import {
  decideSigning,
  NO_RULE,
  type SigningDecision,
  type SigningFacts,
} from '../policy/signing-policy.js';
import { NO_LIMIT_REACHED, type LimitClaim, type ReachedLimits } from '../policy/velocity.js';
import type { Prices } from '../policy/usd-value.js';
import type { AskingRule, SigningStanding } from '../policy/signing-rights.js';
import { asksForApprovals, canBeAllowed, isNamedByRule } from '../policy/allowing-rules.js';
import type { ApiOperation } from '@countersign/api/operation.js';
import type { HttpMethod } from '@countersign/api/requests/api-request.js';
import type { ReceiptView } from '@countersign/api/signing-schema.js';
import type { SigningOperationName } from '@countersign/core/vocabulary.js';
import type { UsedPrice } from '@countersign/core/price-snapshot.js';
import type { SignatureScheme } from '@countersign/core/signature-schemes.js';
import type { TransactionFacts } from '@countersign/chains/solana-movements.js';
import type { SigningMoment, VenuePlan } from '@countersign/venues/engine/venue.js';
import { parseInput, type Input } from './operation-input.js';
import type { SigningTarget } from './signing-targets.js';

/** The decoded request. */
export interface Prepared {
  readonly scheme: SignatureScheme;
  readonly networkId?: string | undefined;
  /** The movements of a transaction. */
  readonly transaction?: TransactionFacts | undefined;
  /** A venue request, ready to be composed for any moment. */
  readonly venue?: VenuePlan | undefined;
  /** The unit of the rising number that the venue asks for. */
  readonly nonceUnit?: 'ms' | 'us' | undefined;
  /** The form in which the venue asks for the key's passphrase. */
  readonly passphrase?: 'plain' | 'hmac_sha256' | undefined;
  /** The bytes that the signature covers. Both parties compose them for themselves. */
  messageAt(moment: SigningMoment): Uint8Array;
}

/** The result of signing, beyond what the request says. */
export interface Signed {
  /** The scheme's raw bytes. */
  readonly signature: Uint8Array;
  readonly moment: SigningMoment;
  /** The key's identifier at the venue when the request was signed; empty for none. */
  readonly venueApiKey: string;
  /** In the form that the venue asks for; empty for none. */
  readonly passphrase: string;
}

/** `venue`: the plan from the evaluation, if that is still at hand. */
export interface SignedTarget extends SigningTarget {
  readonly venue?: VenuePlan | undefined;
}

export interface Recomposed {
  readonly scheme: SignatureScheme;
  readonly message: Uint8Array;
}

/** A kind of request for a signature. Gateway and parties run the same definition over the same evidence. */
export interface SigningOperation<Body extends s.AnyShape = s.AnyShape> extends ApiOperation<
  string,
  HttpMethod,
  string,
  'signing_policy',
  s.AnyShape,
  Body
> {
  readonly name: SigningOperationName;
  /** The target that the path names, whatever its condition; 404 if there is none. */
  findTarget(state: VaultState, params: Readonly<Record<string, string>>): SigningTarget | Refusal;
  /** Why this operation signs nothing with the target, whoever asks. */
  refuseTarget?(target: SigningTarget): Refusal | undefined;
  prepare(
    state: VaultState,
    target: SigningTarget,
    input: Input<unknown, s.OutputOf<Body>>,
  ): Prepared | Refusal;
  /**
   * The bytes that a signature of the request covers, whatever is allowed now, for whoever is given a signature and
   * believes nobody. A refusal if the request cannot have been signed.
   */
  recompose(
    target: SignedTarget,
    input: Input<unknown, s.OutputOf<Body>>,
    signed: Pick<Signed, 'moment' | 'venueApiKey'>,
  ): Recomposed | Refusal;
  answer(
    target: SignedTarget,
    input: Input<unknown, s.OutputOf<Body>>,
    signed: Signed,
    receipt: ReceiptView,
  ): unknown;
}

/** Keeps the body's type together with the functions that use it. */
export function signingOperation<Body extends s.AnyShape>(
  definition: SigningOperation<Body>,
): SigningOperation {
  return definition as unknown as SigningOperation;
}

/** A request that policy allows, once the approvers that it asks for have approved. */
export interface ReadySigning extends Prepared, SigningTarget {
  readonly operation: SigningOperation;
  readonly input: Input<unknown, unknown>;
  readonly policy: RuleReference;
  /** The rules that ask for its approvals: none if it may be signed at once. See `findApprovals`. */
  readonly asked: readonly AskingRule[];
  /** Whether such a request could also come to wait for approvals, when a limit is reached or a rule changes. */
  readonly couldWait: boolean;
  /** Its share of that rule's limit, which is counted before anything is signed. */
  readonly claim?: LimitClaim | undefined;
  /** The prices that valued it; absent when no rule asked for its value, or it is in USD. */
  readonly prices?: readonly UsedPrice[] | undefined;
}

/** An operation, with the values that the path gives for its parameters. */
export interface MatchedSigning {
  readonly operation: SigningOperation;
  readonly params: Readonly<Record<string, string>>;
  /** What it was found to say, if it was read before. */
  readonly input?: Input<unknown, unknown> | undefined;
}

/** The initiator, when the gateway received the request (ms since the Unix epoch), and prices; see `SigningFacts`. */
export interface Asking {
  readonly initiator: User;
  readonly receivedAt: number;
  readonly prices?: Prices | undefined;
  readonly waited?: boolean | undefined;
}

/**
 * Checks rights, freezes, form and policy of a signing request whose caller is known. Checks that need no reading come
 * first: who may not sign here costs as little as possible, however large a body they send. `reached`: limits that
 * this request would pass.
 */
export function evaluateSigning(
  state: VaultState,
  { operation, params, input: known }: MatchedSigning,
  evidence: Pick<Evidence, 'query' | 'body'>,
  asking: Asking,
  reached: ReachedLimits = NO_LIMIT_REACHED,
): ReadySigning | Refusal {
  const target = findAllowableTarget(state, operation, params, asking);
  if (isRefusal(target)) return target;
  const { query, body } = evidence;
  const input = known ?? parseInput(operation, { params, query, body });
  if (isRefusal(input)) return input;
  const prepared = operation.prepare(state, target, input);
  if (isRefusal(prepared)) return prepared;
  const facts = factsOf(operation, target, asking, prepared);
  const decision = decideSigning(state, memberIdOf(target), facts, reached);
  const { outcome, policy, asked, claim, valued } = decision;
  if (outcome === 'deny' || policy === undefined) return denied(decision);
  const couldWait = asksForApprovals(state, memberIdOf(target));
  const used = valued?.result === 'valued' ? valued.prices : [];
  const prices = used.length === 0 ? undefined : used;
  return { ...prepared, ...target, operation, input, policy, asked, couldWait, claim, prices };
}

/**
 * The decision of the signing policies alone, without freezes, without the right to look at the target, and without
 * the state of its key. A refusal if the request's content cannot be read.
 */
export function judgeByPolicies(
  state: VaultState,
  operation: SigningOperation,
  target: SigningTarget,
  input: Input<unknown, unknown>,
  asking: Asking,
): SigningDecision | Refusal {
  const prepared = operation.prepare(state, target, input);
  if (isRefusal(prepared)) return prepared;
  return decideSigning(state, memberIdOf(target), factsOf(operation, target, asking, prepared));
}

function factsOf(
  operation: SigningOperation,
  target: SigningTarget,
  asking: Asking,
  { networkId, transaction, venue }: Prepared,
): SigningFacts {
  const content = { networkId, transaction, venue: venue?.facts };
  return { ...standingOf(operation, target, asking), ...content };
}

/**
 * The target, unless this request cannot be allowed there, whatever it holds. A caller whom no rule of the target
 * names, and who may not look at the vault's resources either, always gets the same answer. So it tells neither
 * whether there is such a wallet or key, nor its condition.
 */
export function findAllowableTarget(
  state: VaultState,
  operation: SigningOperation,
  params: Readonly<Record<string, string>>,
  asking: Asking,
): SigningTarget | Refusal {
  const { initiator } = asking;
  const target = operation.findTarget(state, params);
  const isNamed = !isRefusal(target) && isNamedByRule(state, memberIdOf(target), initiator);
  if (!isNamed && isRefusal(authorizeAdmin(state, initiator, 'view_system_resources'))) {
    return NO_RULE;
  }
  if (isRefusal(target)) return target;
  const refused = operation.refuseTarget?.(target) ?? refuseFrozen(state, target);
  if (refused !== undefined) return refused;
  const standing = standingOf(operation, target, asking);
  if (canBeAllowed(state, memberIdOf(target), standing)) return target;
  // decides without the content: no rule allows it, and a rule that denies whatever it holds is named
  return denied(decideSigning(state, memberIdOf(target), standing));
}

function denied({ reason, policy }: Pick<SigningDecision, 'reason' | 'policy'>): Refusal {
  return { ...deny('signing_policies', reason), policy };
}

/** Its id as security groups name it: a wallet's key has none of its own. */
export function memberIdOf({ key, wallet }: SigningTarget): string {
  return wallet?.id ?? key.walletId ?? key.id;
}

function standingOf(
  { name }: SigningOperation,
  { key, wallet }: SigningTarget,
  asking: Asking,
): SigningStanding & Asking {
  const walletId = wallet?.id ?? key.walletId ?? undefined;
  const venueId = key.venueId ?? undefined;
  return { ...asking, operation: name, venueId, keyId: key.id, walletId };
}

/** 403 naming the scope, when the system, venue, vault, wallet or key is frozen. */
export function refuseFrozen(
  state: VaultState,
  { key, wallet }: SigningTarget,
): Refusal | undefined {
  const [widest] = freezesOfKey(state, key, wallet);
  return widest === undefined ? undefined : deny('frozen', widest.scope);
}

/** Types of what policies say. */
import type { PolicyReference } from '@countersign/core/errors.js';
import type { SigningOperationName } from '@countersign/core/vocabulary.js';
import type { AskedApprovals, Rule, SigningPolicy, User } from '../state/state.js';

/** The policy that allows the act, and what must come first. */
export interface Permission {
  readonly policy: PolicyReference;
  /** Demands of all policies that allow it; empty if it may be done at once. */
  readonly demands: readonly Demand[];
}

/** The demand of one policy before what it allows takes effect. */
export interface Demand {
  readonly policy: PolicyReference;
  readonly approvals: AskedApprovals | undefined;
  /** 0 for no delay. */
  readonly delayMs: number;
}

/** Who asks for which kind of signature, at which venue. */
export interface SigningStanding {
  readonly operation: SigningOperationName;
  readonly initiator: User;
  /** The venue that the key is for. */
  readonly venueId?: string | undefined;
  /** The key or wallet that signs, and the key's wallet; limits count by them. */
  readonly keyId?: string | undefined;
  readonly walletId?: string | undefined;
}

/** A rule that asks for approvals, with its policy. */
export interface AskingRule {
  readonly policy: SigningPolicy;
  readonly rule: Rule;
  readonly approvals: AskedApprovals;
}

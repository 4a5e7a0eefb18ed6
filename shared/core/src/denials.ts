/**
 * Every 403 answer and its text. Denials are made only here and in `fold-denials.ts`, so that one test can check that
 * each says what decided. That is the rule with policy, version and condition, or the freeze, the right, or the state
 * of the thing.
 */
import { denierOf, FOLD_DENIALS } from './fold-denials.js';

/** A rule of a signing policy, by the ids under which receipts and the audit log name it. */
export interface NamedRule {
  readonly id: string;
  readonly version: number;
  readonly ruleId: string;
}

export function ruleName({ id, version, ruleId }: NamedRule): string {
  return `rule ${ruleId} of signing policy ${id}, version ${version}`;
}

export const DENIALS = {
  ...FOLD_DENIALS,

  no_genesis: () => 'the vault has no genesis yet: run countersign init',
  address_not_allowed: () => 'the API key may not be used from where this request came from',
  key_status: (status: string) => `the key is ${status}`,
  key_of_wallet: () => 'the key belongs to a wallet: sign through the wallet',
  /** `decideSigning` words it. */
  signing_policies: (reason: string) => reason,
  asked_no_more: () => 'no rule asks for the approvals that the request waited for',
  asks_alone: (rules: string) => `approvals are asked for by ${rules}: ask for this item alone`,
  not_all: (index: string, reason: string) => `all_or_none: item ${index} is denied: ${reason}`,
  not_held: () => 'the request is not approved',
  not_released: (status: string) => `the request is ${status}: it is not approved`,
  release_over: () => 'the time for which it was approved is over',
  evidence_key_withdrawn: () => 'sealed under an evidence key that was withdrawn',
  other_credential: () => 'whoever asked for it has another credential by now',
  approvals_missing: (rules: readonly NamedRule[]) =>
    `it has not the approvals that are asked for now by ${rules.map(ruleName).join(' and ')}`,
} satisfies Readonly<Record<string, (...named: never[]) => string>>;

export type Denial = keyof typeof DENIALS;

/** The arguments of a denial's text. */
export type NamedIn<Name extends Denial> = Parameters<(typeof DENIALS)[Name]>;

export const deny = denierOf(DENIALS);

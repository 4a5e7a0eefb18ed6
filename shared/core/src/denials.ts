/**
 * Every 403 answer and its text. Denials are made only here, so that one test can check that each says what decided.
 * That is the rule with policy, version and condition, or the freeze, the right, or the state of the thing. Texts that
 * the ledger's fold gives are for good: failed requests keep them in the state.
 */
import type { RefusalOf } from './errors.js';

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
  no_genesis: () => 'the vault has no genesis yet: run countersign init',
  before_genesis: () => 'there is no genesis yet',
  no_people: () => 'the genesis of this vault names no RP id: people cannot enrol',
  passkey_of_machine: () => 'passkeys are of people: a machine signs with its Ed25519 key',

  address_not_allowed: () => 'the API key may not be used from where this request came from',

  frozen: (scope: string) => `the ${scope} is frozen`,
  key_status: (status: string) => `the key is ${status}`,
  key_of_wallet: () => 'the key belongs to a wallet: sign through the wallet',

  /** The refusal carries the policy itself: see `public-error.ts` of the gateway. */
  admin_policy: (action: string) => `denied by administrative policy for ${action}`,
  no_admin_policy: (action: string) => `no administrative policy allows ${action}`,
  rights_held: () => 'the user holds administrative rights that you do not hold',
  rights_gained: () => 'the user would hold administrative rights that you do not hold',
  signing_gained: (policyId: string) =>
    `the user could sign by signing policy ${policyId} what you may not sign, and you may not change that policy`,
  own_selection: (groupId: string) =>
    `labels: by security group ${groupId}, which you may not manage, you could sign with what you make`,

  /** `decideSigning` words it. */
  signing_policies: (reason: string) => reason,

  no_change: () => 'a signature is no change of the vault',
  nothing_asked: () => 'no signing policy rule asks for approvals of this request',
  asked_no_more: () => 'no rule asks for the approvals that the request waited for',
  asks_alone: (rules: string) => `approvals are asked for by ${rules}: ask for this item alone`,
  not_all: (index: string, reason: string) => `all_or_none: item ${index} is denied: ${reason}`,

  not_held: () => 'the request is not approved',
  not_released: (status: string) => `the request is ${status}: it is not approved`,
  release_over: () => 'the time for which it was approved is over',
  evidence_key_withdrawn: () => 'sealed under an evidence key that was withdrawn',
  other_credential: () => 'whoever asked for it has another credential by now',
  requester_gone: () => 'whoever asked for it is frozen, gone, expired, or has another credential',
  approvals_missing: (rules: readonly NamedRule[]) =>
    `it has not the approvals that are asked for now by ${rules.map(ruleName).join(' and ')}`,
  approvals_void: () => 'the approvals that it had do not count any more',
  own_request: () => 'whoever asked for it does not decide about it',
  not_asked: () => 'no policy asks for your approval of it',
  not_yours: () => 'only whoever asked for it can cancel it',
} satisfies Readonly<Record<string, (...named: never[]) => string>>;

export type Denial = keyof typeof DENIALS;

/** The arguments of a denial's text. */
export type NamedIn<Name extends Denial> = Parameters<(typeof DENIALS)[Name]>;

export function deny<Name extends Denial>(
  denial: Name,
  ...named: NamedIn<Name>
): RefusalOf<'forbidden'> {
  const text = DENIALS[denial] as (...of: NamedIn<Name>) => string;
  return { refused: 'forbidden', message: text(...named) };
}

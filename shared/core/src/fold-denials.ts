/**
 * The 403 answers that the ledger's fold gives, and their texts. They are for good: failed requests keep them in the
 * state. `denials.ts` has the others.
 */
import type { RefusalOf } from './refusal-types.js';

type Texts = Readonly<Record<string, (...named: never[]) => string>>;

export const FOLD_DENIALS = {
  before_genesis: () => 'there is no genesis yet',
  no_people: () => 'the genesis of this vault names no RP id: people cannot enrol',
  passkey_of_machine: () => 'passkeys are of people: a machine signs with its Ed25519 key',
  frozen: (scope: string) => `the ${scope} is frozen`,
  /** The refusal carries the policy itself: see `public-error.ts` of the gateway. */
  admin_policy: (action: string) => `denied by administrative policy for ${action}`,
  no_admin_policy: (action: string) => `no administrative policy allows ${action}`,
  rights_held: () => 'the user holds administrative rights that you do not hold',
  rights_gained: () => 'the user would hold administrative rights that you do not hold',
  signing_gained: (policyId: string) =>
    `the user could sign by signing policy ${policyId} what you may not sign, and you may not change that policy`,
  own_selection: (groupId: string) =>
    `labels: by security group ${groupId}, which you may not manage, you could sign with what you make`,
  no_change: () => 'a signature is no change of the vault',
  nothing_asked: () => 'no signing policy rule asks for approvals of this request',
  requester_gone: () => 'whoever asked for it is frozen, gone, expired, or has another credential',
  approvals_void: () => 'the approvals that it had do not count any more',
  own_request: () => 'whoever asked for it does not decide about it',
  not_asked: () => 'no policy asks for your approval of it',
  not_yours: () => 'only whoever asked for it can cancel it',
} satisfies Texts;

/** Makes the denials that have these texts. */
export function denierOf<T extends Texts>(texts: T) {
  return <Name extends keyof T>(
    denial: Name,
    ...named: Parameters<T[Name]>
  ): RefusalOf<'forbidden'> => {
    const text = texts[denial] as unknown as (...of: Parameters<T[Name]>) => string;
    return { refused: 'forbidden', message: text(...named) };
  };
}

export const deny = denierOf(FOLD_DENIALS);

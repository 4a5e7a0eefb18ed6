/** A policy about a right as a form, and back. */
import {
  VAULT_SCOPED_TYPES,
  type AdminPolicyType,
} from '@countersign/api/requests/admin-policy-types.js';
import { idsIn, type AdminPolicy } from './right-words.js';

export interface RightForm {
  readonly name: string;
  readonly action: AdminPolicyType;
  readonly effect: 'allow' | 'deny';
  /** Ids of users and groups. */
  readonly who: readonly string[];
  /** None: every vault. */
  readonly vaultIds: readonly string[];
  /** 0: nobody's approval. */
  readonly quorum: string;
  readonly approvers: readonly string[];
  /** From the last approval on. */
  readonly delayHours: string;
}

export const EMPTY_RIGHT: RightForm = {
  name: '',
  action: 'view_system_resources',
  effect: 'allow',
  who: [],
  vaultIds: [],
  quorum: '0',
  approvers: [],
  delayHours: '0',
};

const HOUR_S = 3_600;

export function formOf(policy: AdminPolicy): RightForm {
  const { approvals, delay_s: delay = 0 } = policy;
  return {
    name: policy.display_name,
    action: policy.action,
    effect: policy.effect,
    who: idsIn(policy.subjects),
    vaultIds: policy.scope.vault_ids ?? [],
    quorum: String(approvals?.quorum ?? 0),
    approvers: approvals === undefined ? [] : idsIn(approvals),
    delayHours: String(delay / HOUR_S),
  };
}

/** `groups`: which ids are groups', beside those of `before`. What the form does not show of that stays. */
export function rightOf(form: RightForm, groups: Iterable<string>, before?: AdminPolicy) {
  const groupIds = new Set([
    ...groups,
    ...(before?.subjects.user_group_ids ?? []),
    ...(before?.approvals?.user_group_ids ?? []),
  ]);
  const quorum = Number(form.quorum);
  const delay = Math.round(Number(form.delayHours) * HOUR_S);
  const split = (ids: readonly string[]) => {
    const users = ids.filter((id) => !groupIds.has(id));
    const named = ids.filter((id) => groupIds.has(id));
    return {
      ...(users.length > 0 && { user_ids: users }),
      ...(named.length > 0 && { user_group_ids: named }),
    };
  };
  const expiry = before?.approvals?.expires_in_s;
  const kept = expiry === undefined ? {} : { expires_in_s: expiry };
  return {
    display_name: form.name.trim(),
    action: form.action,
    effect: form.effect,
    subjects: split(form.who),
    ...(form.vaultIds.length > 0 && { scope: { vault_ids: [...form.vaultIds] } }),
    ...(quorum > 0 && { approvals: { quorum, ...split(form.approvers), ...kept } }),
    ...(delay > 0 && { delay_s: delay }),
  };
}

/** What it is not about, whatever the form has. */
const NEVER_WAITS: ReadonlySet<AdminPolicyType> = new Set([
  'freeze',
  'view_system_resources',
  'view_audit_logs',
]);

export function canWait({ action, effect }: Pick<RightForm, 'action' | 'effect'>): boolean {
  return effect === 'allow' && !NEVER_WAITS.has(action);
}

export function canBeScoped({ action }: Pick<RightForm, 'action'>): boolean {
  return VAULT_SCOPED_TYPES.has(action);
}

/** Why it cannot be signed yet; what the vault alone knows is its to say. */
export function missingIn(form: RightForm): string | undefined {
  if (form.name.trim() === '') return 'Give it a name first.';
  if (form.who.length === 0) return 'Choose first whom it is about.';
  if (!(Number(form.delayHours) >= 0)) return 'The delay is no number of hours.';
  const quorum = Number(form.quorum);
  if (!Number.isInteger(quorum) || quorum < 0) return 'The number of approvals is none.';
  if (quorum > 0 && form.approvers.length === 0) return 'Choose first who may approve.';
  return undefined;
}

/** A form that asks for nothing that its right cannot have. */
export function withinReach(form: RightForm): RightForm {
  return {
    ...form,
    ...(!canBeScoped(form) && { vaultIds: [] }),
    ...(!canWait(form) && { quorum: '0', approvers: [], delayHours: '0' }),
  };
}

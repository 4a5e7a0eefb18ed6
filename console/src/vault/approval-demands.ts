/** Whether an act of somebody would wait for approvals, by the administrative policies as they are told now. */
import type { OperationValue } from '@countersign/client/operation-calls.js';
import { durationWords } from '../design/duration-words.js';
import { visibleText } from '../design/visible-text.js';

export type AdminPolicy = OperationValue<'list-admin-policies'>['results'][number];
type Person = Pick<OperationValue<'whoami'>, 'id' | 'user_groups'>;

/**
 * As `authorizeAdmin` decides it for the one action that all of `policies` are about: those whose approvals or delay it
 * needs, all of them; `refused` where none allows it. `vaultIds`: the vaults that it touches; empty: it is confined to
 * none.
 */
export function demandsOf(
  policies: readonly AdminPolicy[],
  person: Person,
  vaultIds: readonly string[],
): readonly AdminPolicy[] | 'refused' {
  const touching = policies.filter(
    ({ subjects, scope }) => isNamed(subjects, person) && isTouched(scope.vault_ids, vaultIds),
  );
  const allowing = touching.filter(({ effect }) => effect === 'allow');
  const covers = (vaultId?: string) =>
    allowing.some(({ scope: { vault_ids: ids } }) => ids?.includes(vaultId ?? '') ?? true);
  const isAllowed = vaultIds.length === 0 ? covers() : vaultIds.every(covers);
  if (!isAllowed || allowing.length < touching.length) return 'refused';
  return allowing.filter(({ approvals, delay_s: delay = 0 }) => approvals || delay > 0);
}

/** What {@link demandsOf} found, for whoever is about to sign. */
export function waitingWords(demands: readonly AdminPolicy[] | 'refused'): string {
  if (demands === 'refused') {
    return 'As far as this page can see no administrative policy lets you do this: it would be refused.';
  }
  return demands.length === 0
    ? 'It takes effect at once: no administrative policy asks for an approval of it.'
    : `It does not take effect at once. It waits for ${demands.map(demandWords).join(', and for ')}.`;
}

function isNamed(
  { user_ids: users, user_group_ids: groups }: AdminPolicy['subjects'],
  person: Person,
): boolean {
  return users.includes(person.id) || person.user_groups.some(({ id }) => groups.includes(id));
}

function isTouched(scope: readonly string[] | undefined, vaultIds: readonly string[]): boolean {
  return scope === undefined || vaultIds.length === 0 || vaultIds.some((id) => scope.includes(id));
}

function demandWords({ approvals, delay_s: delay = 0, display_name: name }: AdminPolicy): string {
  const { quorum = 0 } = approvals ?? {};
  const asked = [
    ...(quorum === 0 ? [] : [`${quorum} ${quorum === 1 ? 'approval' : 'approvals'} of others`]),
    ...(delay === 0 ? [] : [`a delay of at least ${durationWords(delay * 1_000)}`]),
  ];
  return `${asked.join(' and ')} (policy “${visibleText(name)}”)`;
}

/** Whether somebody's raw messages are allowed by a rule, as far as its initiators and operations say. */
import type { OperationValue } from '@countersign/client/operation-calls.js';
import type { Person } from '../../session/session.js';

type Rule = OperationValue<'list-signing-policies'>['results'][number]['rules'][number];

/** An earlier rule may deny all the same: the answer to a request says so. */
export function mayRawSign(
  rules: readonly Rule[],
  { id, user_groups: groups }: Pick<Person, 'id' | 'user_groups'>,
): boolean {
  return rules.some(({ enabled, when, then }) => {
    if (enabled === false || then !== 'allow') return false;
    if (when.operations?.includes('raw_sign') !== true) return false;
    const { initiators } = when;
    if (initiators === undefined) return false;
    if (initiators === 'anyone' || initiators.user_ids?.includes(id)) return true;
    return groups.some((group) => initiators.user_group_ids?.includes(group.id));
  });
}

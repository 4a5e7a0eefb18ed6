/** The rules that speak of the caller, out of all signing policies. */
import type { CallResult } from '@countersign/client/call-result.js';
import type { CountersignClient, OperationValue } from '@countersign/client/countersign-client.js';

type Reads = Pick<CountersignClient, 'call' | 'pages'>;
type User = OperationValue<'whoami'>;
type Policy = OperationValue<'list-signing-policies'>['results'][number];
type Group = OperationValue<'list-security-groups'>['results'][number];

/** Of those without any rule of the caller nothing is told. */
export async function readLimits({ call, pages }: Reads): Promise<CallResult<unknown>> {
  const caller = await call('whoami');
  if (!caller.ok) return caller;
  const groups = await all(pages('list-security-groups'));
  if (!groups.ok) return groups;
  const policies = await all(pages('list-signing-policies'));
  if (!policies.ok) return policies;
  return { ...caller, value: limitsOf(caller.value, groups.value, policies.value) };
}

async function all<Item>(
  pages: AsyncIterable<CallResult<{ readonly results: readonly Item[] }>>,
): Promise<CallResult<Item[]>> {
  const items: Item[] = [];
  for await (const page of pages) {
    if (!page.ok) return page;
    items.push(...page.value.results);
  }
  return { ok: true, status: 200, value: items };
}

export function limitsOf(caller: User, groups: readonly Group[], policies: readonly Policy[]) {
  return {
    user: { id: caller.id, display_name: caller.display_name, status: caller.status },
    policies: policies.flatMap(({ display_name, security_group_id, position, rules }) => {
      const own = rules.filter(({ enabled, when }) => enabled && speaksOf(caller, when.initiators));
      const group = groups.find(({ id }) => id === security_group_id);
      if (own.length === 0 || group === undefined) return [];
      return [{ display_name, position, members: group.members, rules: own }];
    }),
  };
}

/** A rule that names nobody denies whoever it fits. */
function speaksOf(
  caller: User,
  initiators: Policy['rules'][number]['when']['initiators'],
): boolean {
  if (initiators === undefined || initiators === 'anyone') return true;
  const groupIds = caller.user_groups.map(({ id }) => id);
  return (
    (initiators.user_ids ?? []).includes(caller.id) ||
    (initiators.user_group_ids ?? []).some((id) => groupIds.includes(id))
  );
}

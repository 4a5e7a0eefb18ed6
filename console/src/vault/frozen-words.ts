import type { OperationValue } from '@countersign/client/operation-calls.js';

type Freeze = OperationValue<'list-freezes'>['results'][number];
type Scope = Freeze['scope'];

/** What has a state and may be stopped by freezes: its own, and those of what it belongs to. */
export interface Stoppable {
  readonly status: string;
  readonly frozen_by: readonly Pick<Freeze, 'scope' | 'id'>[];
}

/** The state in words; of what is frozen by which freezes: `own` is the scope of the thing itself. */
export function stateWords({ status, frozen_by: freezes }: Stoppable, own: Scope): string {
  const words = status.replaceAll('_', ' ');
  if (status !== 'frozen') return words;
  const above = freezes.filter(({ scope }) => scope !== own).map(aboveWords);
  if (above.length === 0) return words;
  if (above.length === freezes.length && freezes.every(({ scope }) => scope === 'system')) {
    return `${words} (by the system)`;
  }
  const isOwn = above.length < freezes.length;
  return `${words}${isOwn ? ' itself, and' : ''} with ${above.join(' and ')}`;
}

function aboveWords({ scope, id }: Pick<Freeze, 'scope' | 'id'>): string {
  if (scope === 'system') return 'the whole system';
  return scope === 'venue' ? `its venue ${id}` : `its ${scope}`;
}

/** As it is under a freeze of the system that was seen since the thing was read. */
export function underSystemFreeze(thing: Stoppable, isSystemFrozen: boolean): Stoppable {
  if (!isSystemFrozen || thing.status !== 'active') return thing;
  return { status: 'frozen', frozen_by: [...thing.frozen_by, { scope: 'system', id: 'system' }] };
}

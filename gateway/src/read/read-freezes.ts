import { listFreezesOperation } from '@countersign/api/operations/freezing.js';
import { DEFAULT_PAGE_LIMIT } from '@countersign/api/primitives.js';
import { isRefusal } from '@countersign/core/errors.js';
import { type FreezeInForce, type FreezeScope } from '@countersign/vault/state/freezes.js';
import { allFreezes, compareFreezes } from '@countersign/vault/views/all-freezes.js';
import { listedFreezeView } from '@countersign/vault/views/freeze-view.js';
import { cursorScope } from './page.js';
import { readOperation } from './read-operation.js';

type Place = Pick<FreezeInForce, 'at' | 'scope' | 'id'>;

export const listFreezes = readOperation({
  ...listFreezesOperation,
  handle({ state, caller, cursors }, { query }) {
    const scope = cursorScope('freezes', query, caller.id);
    const position = query.cursor === undefined ? '' : cursors.open(scope, query.cursor);
    if (isRefusal(position)) return position;
    const limit = query.limit ?? DEFAULT_PAGE_LIMIT;
    const after = position === '' ? undefined : placeOf(position);
    const left = allFreezes(state).filter(
      (freeze) => after === undefined || compareFreezes(freeze, after) > 0,
    );
    const shown = left.slice(0, limit);
    const last = shown.at(-1);
    const hasMore = left.length > limit && last !== undefined;
    return {
      results: shown.map((freeze) => listedFreezeView(state, freeze)),
      next_cursor: hasMore ? cursors.seal(scope, positionOf(last)) : null,
    };
  },
});

/** A freeze's position in the list, which it keeps when it is lifted. */
function positionOf({ at, scope, id }: Place): string {
  return `${at} ${scope} ${id}`;
}

function placeOf(position: string): Place {
  const [at, scope, id] = position.split(' ');
  return { at: Number(at), scope: scope as FreezeScope, id: id ?? '' };
}

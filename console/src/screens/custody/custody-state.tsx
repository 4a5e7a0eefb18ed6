/** Whether a key, vault or wallet may sign, and what stops it where something does. */
import { Badge } from '../../design/pieces.js';
import { stateWords, underSystemFreeze, type Stoppable } from '../../vault/frozen-words.js';
import { useRead } from '../../vault/vault-queries.js';

interface CustodyStateProps {
  readonly thing: Stoppable;
  readonly own: 'key' | 'vault' | 'wallet';
}

export function CustodyState({ thing: read, own }: CustodyStateProps) {
  // every page looks at it, also while a list stands there unread
  const { data: info } = useRead('get-info', {});
  const thing = underSystemFreeze(read, info?.system_freeze != null);
  return <Badge mood={thing.status === 'active' ? 'good' : 'bad'}>{stateWords(thing, own)}</Badge>;
}

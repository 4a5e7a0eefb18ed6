/** Whether a key, vault or wallet may sign, and what stops it where something does. */
import { Badge } from '../../design/pieces.js';
import { stateWords, type Stoppable } from '../../vault/frozen-words.js';

interface CustodyStateProps {
  readonly thing: Stoppable;
  readonly own: 'key' | 'vault' | 'wallet';
}

export function CustodyState({ thing, own }: CustodyStateProps) {
  return <Badge mood={thing.status === 'active' ? 'good' : 'bad'}>{stateWords(thing, own)}</Badge>;
}

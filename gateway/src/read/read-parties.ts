import { getPartiesOperation } from '@countersign/api/operations/parties.js';
import { partiesView } from '@countersign/vault/views/parties-view.js';
import { readOperation } from './read-operation.js';

export const getParties = readOperation({
  ...getPartiesOperation,
  handle: ({ state }) => partiesView(state),
});

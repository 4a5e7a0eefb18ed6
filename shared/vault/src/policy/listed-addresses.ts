import { addressListsOf, type AddressList, type VaultState } from '../state/state.js';

/** Many requests are decided by the same lists. */
const ADDRESSES = new WeakMap<AddressList, ReadonlySet<string>>();

/** The addresses of a list, or undefined if there is no such list. */
export function addressesIn(
  state: Pick<VaultState, 'addressLists'>,
  listId: string,
): ReadonlySet<string> | undefined {
  const list = addressListsOf(state).rows.get(listId);
  if (list === undefined) return undefined;
  const known = ADDRESSES.get(list);
  if (known !== undefined) return known;
  const addresses = new Set(list.entries.map(({ address }) => address));
  ADDRESSES.set(list, addresses);
  return addresses;
}

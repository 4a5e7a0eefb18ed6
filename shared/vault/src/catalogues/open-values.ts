/** Values that the state leaves open (null), as a release with these catalogues reads them. */
import { SCHEMES_BY_KEY_TYPE, type SignatureScheme } from '@countersign/core/signature-schemes.js';
import type { Key, SystemSettings, Wallet } from '../state/state.js';
import type { Catalogues } from './catalogues.js';

/** What the key signs with when a request names no scheme. */
export function schemeOfKey(
  { scheme, type, venueId }: Pick<Key, 'scheme' | 'type' | 'venueId'>,
  { findVenue }: Pick<Catalogues, 'findVenue'>,
): SignatureScheme {
  return scheme ?? findVenue(venueId ?? '')?.schemes[type] ?? SCHEMES_BY_KEY_TYPE[type][0];
}

/** Ids of the wallet's networks. Those that it names are its own also while they are switched off. */
export function networksOfWallet(
  { networks, networkFamily }: Pick<Wallet, 'networks' | 'networkFamily'>,
  { testnetsEnabled }: SystemSettings,
  { enabledNetworkIds }: Pick<Catalogues, 'enabledNetworkIds'>,
): readonly string[] {
  return networks ?? enabledNetworkIds(networkFamily, testnetsEnabled);
}

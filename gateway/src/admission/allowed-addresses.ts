/**
 * Whether an API key may be used from where a request comes from. Gateways alone can tell. A hostile one can skip this
 * check, and no party sees an address: it keeps a stolen key from being used elsewhere, and proves nothing.
 */
import { BlockList, isIP } from 'node:net';
import { deny } from '@countersign/core/denials.js';
import type { Refusal } from '@countersign/core/errors.js';
import type { User } from '@countersign/vault/state/state.js';

/** Each family apart: to `BlockList`, `::/0` covers all of IPv4. */
interface Ranges {
  readonly ipv4: BlockList;
  readonly ipv6: BlockList;
}

/** IPv4 addresses as sockets for both families show them (RFC 4291, 2.5.5.2). */
const MAPPED = new BlockList();
MAPPED.addSubnet('::ffff:0:0', 96, 'ipv6');

/** By the list in the state, which is another one after each change. */
const known = new WeakMap<readonly string[], Ranges>();

/** 403 unless this user may come from `address`. An address that is not known is none that is allowed. */
export function refuseElsewhere(user: User, address: string | undefined): Refusal | undefined {
  if (user.type !== 'machine' || user.allowedAddresses === undefined) return undefined;
  return includes(rangesOf(user.allowedAddresses), address)
    ? undefined
    : deny('address_not_allowed');
}

function rangesOf(list: readonly string[]): Ranges {
  const earlier = known.get(list);
  if (earlier !== undefined) return earlier;
  const ranges = { ipv4: new BlockList(), ipv6: new BlockList() };
  for (const range of list) {
    const [address = '', length] = range.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    ranges[family].addSubnet(address, Number(length), family);
  }
  known.set(list, ranges);
  return ranges;
}

function includes({ ipv4, ipv6 }: Ranges, address = ''): boolean {
  const plain = address.replace(/%.*$/, ''); // the zone of a link-local address
  switch (isIP(plain)) {
    case 4:
      return ipv4.check(plain, 'ipv4');
    case 6:
      return (MAPPED.check(plain, 'ipv6') ? ipv4 : ipv6).check(plain, 'ipv6');
    default:
      return false;
  }
}

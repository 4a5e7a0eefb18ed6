/**
 * Ranges of IP addresses in CIDR notation (RFC 4632, RFC 4291). The fold reads them, so no parser of the runtime decides
 * what is one.
 */
const DECIMAL = /^(?:0|[1-9]\d{0,2})$/;
const GROUP = /^[0-9A-Fa-f]{1,4}$/;
const BITS = 16;
const IPV4_GROUPS = 2;
const IPV6_GROUPS = 8;

/**
 * Whether the text is a range, such as `203.0.113.0/24` or `2001:db8::/32`, without a bit behind its length. An IPv4
 * range written as one of IPv6 is none, because callers' IPv4 addresses are compared as such.
 */
export function isAddressRange(text: string): boolean {
  const [address = '', length = '', ...more] = text.split('/');
  const groups = address.includes(':') ? readIpv6(address) : readIpv4(address);
  if (groups === undefined || more.length > 0 || !DECIMAL.test(length)) return false;
  const bits = Number(length);
  return bits <= groups.length * BITS && isZeroBehind(groups, bits) && !isMapped(groups);
}

/** Two groups of 16 bits. */
function readIpv4(text: string): number[] | undefined {
  const bytes = text.split('.');
  if (bytes.length !== 4) return undefined;
  if (!bytes.every((byte) => DECIMAL.test(byte) && Number(byte) <= 0xff)) return undefined;
  const [a, b, c, d] = bytes.map(Number) as [number, number, number, number];
  return [a * 0x100 + b, c * 0x100 + d];
}

/** Eight groups of 16 bits; `::` stands once, for one or more that are 0. */
function readIpv6(text: string): number[] | undefined {
  const halves = text.split('::').map((half) => (half === '' ? [] : half.split(':')));
  const [head = [], tail = []] = halves;
  const missing = IPV6_GROUPS - head.length - tail.length;
  const isWhole = halves.length === 1 ? missing === 0 : halves.length === 2 && missing > 0;
  if (!isWhole || ![...head, ...tail].every((group) => GROUP.test(group))) return undefined;
  const zeros = Array<string>(missing).fill('0');
  return [...head, ...zeros, ...tail].map((group) => Number.parseInt(group, 16));
}

function isZeroBehind(groups: readonly number[], bits: number): boolean {
  return groups.every((group, at) => {
    const behind = Math.min(BITS, Math.max(0, (at + 1) * BITS - bits));
    return group % 2 ** behind === 0;
  });
}

/** ::ffff:0:0/96 */
function isMapped(groups: readonly number[]): boolean {
  return (
    groups.length === IPV6_GROUPS &&
    groups[5] === 0xffff &&
    groups.slice(0, IPV6_GROUPS - IPV4_GROUPS - 1).every((group) => group === 0)
  );
}

/** Whether the links of one chain make one chain: from the first on, without gaps, each naming the one before it. */
import type { AuditFault } from './audit-fault.js';
import type { Link } from './export-line.js';

export type LinksBySeq = ReadonlyMap<number, Link>;

const FIRST_PREV_HASH = '00'.repeat(32);

/** `kind`: what the links are called. */
export function findChainFaults(
  name: string,
  kind: 'entry' | 'record',
  links: readonly Link[],
): { readonly faults: AuditFault[]; readonly bySeq: LinksBySeq } {
  const faults: AuditFault[] = [];
  const bySeq = new Map<number, Link>();
  for (const link of links) {
    if (bySeq.has(link.seq)) {
      const what = 'its place is taken twice';
      faults.push({ name: `${kind}-repeated`, where: `${name} ${link.seq}`, what });
    } else bySeq.set(link.seq, link);
  }
  let before: Link | undefined;
  for (const link of [...bySeq.values()].toSorted((a, b) => a.seq - b.seq)) {
    const where = `${name} ${link.seq}`;
    const expected = (before?.seq ?? 0) + 1;
    if (link.seq !== expected) {
      const gap = link.seq - 1 === expected ? `${expected}` : `${expected} to ${link.seq - 1}`;
      faults.push({ name: `${kind}-missing`, where: `${name} ${gap}`, what: 'it is not there' });
    } else if (link.prevHash !== (before?.hash ?? FIRST_PREV_HASH)) {
      const what = 'it names another one before it';
      faults.push({ name: `${kind}-out-of-place`, where, what });
    }
    before = link;
  }
  return { faults, bySeq };
}

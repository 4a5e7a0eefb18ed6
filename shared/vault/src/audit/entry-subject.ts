import type { EntryOutcome } from '../ledger/entry-outcome.js';
import type { Subject } from '../operations/ledger-operation.js';

/** All that an entry was about: what had waited and was done with it is found under its own keys, vaults and users. */
export function entrySubject({
  subject,
  decided = [],
}: Pick<EntryOutcome, 'subject' | 'decided'>): Subject | undefined {
  if (decided.length === 0) return subject;
  const all = [subject, ...decided.map((one) => one.subject)].filter((one) => one !== undefined);
  const idsOf = (name: Exclude<keyof Subject, 'resourceType'>) => [
    ...new Set(all.flatMap((one) => one[name] ?? [])),
  ];
  return {
    resourceType: subject?.resourceType ?? 'request',
    resourceIds: [
      ...new Set([...idsOf('resourceIds'), ...decided.map(({ requestId }) => requestId)]),
    ],
    userIds: idsOf('userIds'),
    vaultIds: idsOf('vaultIds'),
    keyIds: idsOf('keyIds'),
    walletAddresses: idsOf('walletAddresses'),
  };
}

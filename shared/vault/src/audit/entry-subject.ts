import type { EntryFacts } from '../ledger/entry-outcome.js';
import type { Subject } from '../operations/ledger-operation.js';

/** What an entry was about, with the vaults, users and keys of waiting requests that it ended. */
export function entrySubject({
  subject,
  decided = [],
}: Pick<EntryFacts, 'subject' | 'decided'>): Subject | undefined {
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

/** What will happen when this release takes the place of what runs now. It decides from what was read, and asks nobody. */
import { PARTY_NUMBERS, type PartyNumber } from '@countersign/core/parties.js';
import { PRESENCE_TTL_MS } from '@countersign/runtime/jobs/names.js';
import {
  commonVersion,
  versionsText,
  type SpokenVersions,
} from '@countersign/runtime/jobs/protocol.js';
import {
  isSignedByParty,
  parsePresence,
  type PresenceEntry,
} from '@countersign/runtime/jobs/replica.js';
import type { LedgerView } from '@countersign/vault/ledger/fold.js';
import { migrationFinding } from '../doctor/check-database.js';
import { fault, ok, warning, type Finding } from '../doctor/finding.js';

export type Migrations = Parameters<typeof migrationFinding>[0];

const ONE_AT_A_TIME = 'go through each release in between';

export function judgeMigrations(migrations: Migrations): Finding {
  const finding = migrationFinding(migrations);
  // an upgrade that rolls adds one release's migrations: processes that run now do not know more
  return finding.verdict === 'warning'
    ? fault('schema', finding.says, ONE_AT_A_TIME)
    : { ...finding, about: 'schema' };
}

/** `newest`: the newest version of the rules that this release has. */
export function judgeRules(view: LedgerView, newest: number): Finding {
  const force = `version ${view.rules} of the rules is in force`;
  if (newest <= view.rules) return ok('rules', `${force}, and stays so`);
  return ok(
    'rules',
    `${force}; version ${newest} comes into force once all three parties run this release, and then there is no way back`,
  );
}

/** Versions of the protocol that each live process of a party speaks, by what its party has signed. `now`: ms. */
export function judgeParties(
  presence: Readonly<Record<string, string>>,
  { state }: LedgerView,
  spoken: SpokenVersions,
  now: number,
): Finding[] {
  const alive = Object.entries(presence).flatMap(([field, value]) => {
    const entry = parsePresence(field, value);
    const isAlive = entry !== undefined && entry.seenAt > now - PRESENCE_TTL_MS;
    return isAlive && isSignedByParty(entry, state) ? [entry] : [];
  });
  return PARTY_NUMBERS.flatMap((party) => judgeParty(party, alive, spoken));
}

function judgeParty(
  party: PartyNumber,
  alive: readonly PresenceEntry[],
  spoken: SpokenVersions,
): Finding[] {
  const own = alive.filter(({ replica }) => replica.party === party);
  if (own.length === 0) {
    const advice = 'start it first: while another one is replaced, two must be there';
    return [warning(`party ${party}`, 'no process of it is alive', advice)];
  }
  return own.map(({ replica: { name }, spoken: theirs }) => {
    const about = `party ${party}, ${name}`;
    const says = `it speaks versions ${versionsText(theirs)} of the protocol, this release ${versionsText(spoken)}`;
    const common = commonVersion(theirs, spoken);
    return common === undefined
      ? fault(about, `${says}: they would not understand each other`, ONE_AT_A_TIME)
      : ok(about, `${says}: they will speak version ${common}`);
  });
}

/** By what it answered to `GET /v1/info`. A proxy on the way answers as well, and knows no version. */
export function judgeGateway(url: string, status: number, body: string, own: string): Finding {
  const version = status === 200 ? versionIn(body) : undefined;
  if (version !== undefined) {
    return ok(url, `it runs ${JSON.stringify(version)}, and this is ${JSON.stringify(own)}`);
  }
  const says = `it does not tell its version (status ${status})`;
  return warning(url, says, 'look at the gateway, and at the URL');
}

function versionIn(body: string): string | undefined {
  try {
    const { version } = JSON.parse(body) as { readonly version?: unknown };
    return typeof version === 'string' ? version : undefined;
  } catch {
    return undefined;
  }
}

/** `format`: of the snapshot that lies beside a pin file; undefined where there is none. */
export function judgeSnapshot(path: string, format: string | undefined, own: string): Finding {
  if (format === undefined)
    return ok(path, 'there is no snapshot: the process folds the whole ledger');
  return format === own
    ? ok(path, 'this release starts from it')
    : ok(path, 'this release drops it and folds the whole ledger: its first start takes longer');
}

/** In the order in which they are to be done. */
export function stepsOf({ missing }: Migrations): string[] {
  return [
    'back up',
    ...(missing.length > 0
      ? ["run `countersign migrate` of this release, as the database's owner"]
      : []),
    'replace the gateways, one after another: wait for /health/ready',
    ...PARTY_NUMBERS.map((party) => `replace party ${party}: wait until /health tells of three`),
    'replace notifiers and price relays',
    'check that /v1/info of each gateway names the version',
  ];
}

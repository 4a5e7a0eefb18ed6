/**
 * Which messages a vault gave for each request, from everything that anybody can see of it: replies, answers to callers,
 * rows of results, and what each replica wrote down before it contributed.
 *
 * How the bounds are counted. A replica contributes to one message of a request, whatever its boots, and a party's
 * replicas share the party's schema: so a request has one message per party. A signature takes two parties, and any two
 * pairs have one in common: so it has one signed message. Where the database forgets, each replica counts for itself, and
 * two of different parties share a signed message: so there are at most half as many as replicas.
 */
import { decodeOutcome, type SignOutcome } from '@countersign/runtime/jobs/sign-outcome.js';
import pg from 'pg';

const PARTIES = [1, 2, 3];
const CHAIN_ID = /^(party_[123])-(.+)-[0-9a-f]{32}$/;

/** Distinct messages of one request, the most that any request has. */
export interface MostMessages {
  /** Signed by two parties. */
  readonly signed: number;
  /** Given by one party. */
  readonly ofParty: number;
  /** Given by one replica. */
  readonly ofReplica: number;
}

export interface GivenMessages {
  /** `messageSha256`: hex. */
  noteSigned(requestId: string, messageSha256: string): void;
  noteOutcome(outcome: SignOutcome): void;
  /** Reads all rows as the owner. */
  readRows(): Promise<void>;
  /** The database is as before it knew any request: reads and takes away all rows, and keeps the ledger. */
  rollBack(): Promise<void>;
  /** How many requests have a signed message. */
  countSigned(): number;
  /** Of requests as long as no rows were taken away, and of those whose rows were. */
  most(): { readonly kept: MostMessages; readonly forgotten: MostMessages };
  close(): Promise<void>;
}

interface OfRequest {
  readonly signed: Set<string>;
  readonly byParty: Map<string, Set<string>>;
  readonly byReplica: Map<string, Set<string>>;
  isForgotten: boolean;
}

type ReadRows = (rows: {
  results: { payload: Buffer }[];
  records: { request_id: string; chain_id: string; message: string }[];
  messages: { request_id: string; party: string; message: string }[];
}) => void;

/** `isOfTest`: which requests count. */
export async function openGivenMessages(
  ownerUrl: string,
  isOfTest: (requestId: string) => boolean,
): Promise<GivenMessages> {
  const owner = new pg.Client({ connectionString: ownerUrl });
  await owner.connect();
  const requests = new Map<string, OfRequest>();
  let kept: MostMessages = { signed: 0, ofParty: 0, ofReplica: 0 };

  function ofRequest(requestId: string): OfRequest | undefined {
    if (!isOfTest(requestId)) return undefined;
    const known = requests.get(requestId);
    if (known !== undefined) return known;
    const fresh = {
      signed: new Set<string>(),
      byParty: new Map<string, Set<string>>(),
      byReplica: new Map<string, Set<string>>(),
      isForgotten: false,
    };
    requests.set(requestId, fresh);
    return fresh;
  }

  const given: Pick<GivenMessages, 'noteSigned' | 'noteOutcome'> = {
    noteSigned: (requestId, message) => ofRequest(requestId)?.signed.add(message),
    noteOutcome(outcome) {
      if (outcome.outcome !== 'signed') return;
      given.noteSigned(outcome.receipt.requestId, outcome.receipt.messageSha256);
    },
  };

  const noteRows: ReadRows = ({ results, records, messages }) => {
    for (const { payload } of results) given.noteOutcome(decodeOutcome(payload));
    for (const { request_id: id, chain_id: chain, message } of records) {
      const [, party = '', name = ''] = CHAIN_ID.exec(chain) ?? [];
      const found = ofRequest(id);
      if (found === undefined) continue;
      addTo(found.byParty, party, message);
      addTo(found.byReplica, `${party}-${name}`, message);
    }
    for (const { request_id: id, party, message } of messages) {
      const found = ofRequest(id);
      if (found !== undefined) addTo(found.byParty, party, message);
    }
  };

  const all = () => [...requests.values()];
  const mostOfKept = () => larger(kept, mostOf(all().filter(({ isForgotten }) => !isForgotten)));
  function forget(): void {
    for (const found of all()) found.isForgotten = true;
  }

  return {
    ...given,
    async readRows() {
      noteRows(await readAll(owner, (table) => `TABLE ${table}`));
    },
    async rollBack() {
      noteRows(await readAll(owner, (table) => `TABLE ${table}`));
      kept = mostOfKept();
      forget();
      // for this session alone, triggers that refuse changes are off
      await owner.query('SET session_replication_role = replica');
      noteRows(await readAll(owner, (table) => `DELETE FROM ${table} RETURNING *`));
      await owner.query('DELETE FROM signing_request');
      forget(); // those that came meanwhile
    },
    countSigned: () => all().filter(({ signed }) => signed.size > 0).length,
    most: () => ({
      kept: mostOfKept(),
      forgotten: mostOf(all().filter(({ isForgotten }) => isForgotten)),
    }),
    close: () => owner.end(),
  };
}

/** `from`: a statement that gives all rows of a table. */
async function readAll(
  owner: pg.Client,
  from: (table: string) => string,
): Promise<Parameters<ReadRows>[0]> {
  const rowsOf = async (table: string, columns: string) =>
    (await owner.query(`WITH found AS (${from(table)}) SELECT DISTINCT ${columns} FROM found`))
      .rows;
  const message = "request_id, encode(message_sha256, 'hex') AS message";
  const results = await rowsOf('request_result', 'payload');
  const records = [];
  const messages = [];
  for (const party of PARTIES) {
    records.push(...(await rowsOf(`party_${party}.sign_record`, `chain_id, ${message}`)));
    const told = await rowsOf(`party_${party}.request_message`, message);
    messages.push(...told.map((row) => ({ ...row, party: `party_${party}` })));
  }
  return { results, records: records.filter((row) => row.message !== null), messages };
}

function addTo(sets: Map<string, Set<string>>, name: string, message: string): void {
  sets.set(name, (sets.get(name) ?? new Set()).add(message));
}

function mostOf(requests: readonly OfRequest[]): MostMessages {
  const largest = (pick: (request: OfRequest) => Iterable<Set<string>>) =>
    requests.reduce(
      (most, request) => Math.max(most, ...[...pick(request)].map(({ size }) => size)),
      0,
    );
  return {
    signed: largest(({ signed }) => [signed]),
    ofParty: largest(({ byParty }) => byParty.values()),
    ofReplica: largest(({ byReplica }) => byReplica.values()),
  };
}

function larger(a: MostMessages, b: MostMessages): MostMessages {
  return {
    signed: Math.max(a.signed, b.signed),
    ofParty: Math.max(a.ofParty, b.ofParty),
    ofReplica: Math.max(a.ofReplica, b.ofReplica),
  };
}

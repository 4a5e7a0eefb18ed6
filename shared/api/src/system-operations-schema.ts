/** The vault's present work, as one gateway sees it: for its operators, and the screen that shows it. */
import * as s from '@countersign/core/shapes.js';
import { ALARM_KINDS } from '@countersign/core/alarm-statement.js';
import { dateTime, id } from './primitives.js';

const count = s.int().min(0);
const durationMs = s.number().min(0);
const party = s.int().min(1).max(3).describe('Number of the party, 1 to 3.');
const oldestMs = durationMs
  .nullable()
  .describe('For how long the oldest of them has waited, ms; null where none waits.');

const queue = s
  .strictObject({
    replica: s.string().describe('Name of the replica whose queue it is.'),
    depth: count.describe(
      'Batches in the queue that no replica has taken, as of half a second ago at most.',
    ),
    oldest_ms: oldestMs,
  })
  .meta({ id: 'PartyQueue' });

const replica = s
  .strictObject({
    name: s.string().describe('Name of the replica within its party.'),
    is_primary: s.boolean().describe('Whether it speaks for its party: it says so, signed.'),
    has_answered: s
      .boolean()
      .describe('Whether it has answered this gateway, and did not fail again and again since.'),
    failures: count.describe('Batches in a row that it did not answer.'),
    heard_ms_ago: durationMs.describe('Time since its last presence, ms.'),
  })
  .meta({ id: 'PartyReplica' });

const partyHead = s
  .strictObject({
    seq: count.describe('Sequence number of the newest head that it countersigned.'),
    at: dateTime.describe('When, by its own clock. RFC 3339, UTC, milliseconds.'),
    rules_version: count.describe('The version of the rules by which it judges.'),
    newest_rules_version: count.describe('The newest version that its release has.'),
  })
  .meta({ id: 'PartyHead' });

const partyState = s
  .strictObject({
    party,
    is_alive: s.boolean().describe('Whether a replica of it was heard of in the last seconds.'),
    head: partyHead.nullable().describe('Newest countersignature of the party; null: none.'),
    obeys_seq: count.describe('Up to which entry it has said that it obeys freezes; 0: none.'),
    replicas: s.array(replica).describe('Replicas of the party that are alive, at most 16.'),
    queues: s
      .array(queue)
      .describe('Queues of its replicas that this gateway used in the last minute.'),
  })
  .meta({ id: 'PartyState' });

const pair = s
  .strictObject({
    parties: s.array(party).describe('The two parties.'),
    breaker: s
      .words(['closed', 'half_open', 'open'])
      .describe(
        'Circuit breaker of the pair. `open`: no batches are sent to it, because it did not answer in time while another pair did. That accuses nobody: outages and load do the same. `half_open`: one batch tries the pair.',
      ),
    answered: count.describe('Batches that they answered, since the start of this gateway.'),
    retried: count.describe('Batches of which most items had to be tried again.'),
    lost: count.describe('Batches without an answer in time.'),
    typical_ms: durationMs
      .nullable()
      .describe('Moving mean of the time to an answer, ms. Null before the first.'),
  })
  .meta({ id: 'PartyPair' });

const latency = s
  .strictObject({
    p50_ms: durationMs.describe('Median, ms.'),
    p95_ms: durationMs.describe('95th percentile, ms.'),
    p99_ms: durationMs.describe('99th percentile, ms. 2000 means that or more.'),
  })
  .meta({ id: 'Latency' });

const signing = s
  .strictObject({
    window_s: s
      .number()
      .describe('Length of the period that counts and times are of, in seconds; at most 60.'),
    per_s: s.number().min(0).describe('Requests for signatures that were answered, per second.'),
    succeeded: count.describe(
      'Requests that were signed. Here and in the next two, a request answered 202 counts when it has ended.',
    ),
    denied: count.describe('Requests that were refused (4xx), or denied by the parties.'),
    failed: count.describe(
      'Requests that failed: by a fault or an overload (5xx), or because no party signed them in time.',
    ),
    latency: latency
      .nullable()
      .describe(
        'Time from the head of the request to its answer, at this gateway. Null: there were none.',
      ),
    waiting: count.describe('Requests that wait for a batch.'),
    oldest_ms: oldestMs,
    under_way: count.describe('Requests in batches that parties are working on.'),
    batches: count.describe('Batches that parties are working on.'),
  })
  .meta({ id: 'SigningFigures' });

const refusals = s
  .strictObject({
    operation: s.string().describe('`GET /v1/users` and the like: method and path template.'),
    reason: s
      .string()
      .describe(
        'An `err_type`; or `rules` (signing policies said no), `frozen`, `too_often` (504, a rate limit), `other` (415).',
      ),
    count: count.describe('In the last seconds, as `signing.window_s` says.'),
    total: count.describe('Number since the start of this gateway.'),
  })
  .meta({ id: 'RefusalCount' });

const counted = (what: string, reasons: Readonly<Record<string, string>>) =>
  s
    .strictObject(
      Object.fromEntries(
        Object.entries(reasons).map(([name, text]) => [name, count.describe(text)]),
      ) as Record<string, typeof count>,
    )
    .describe(what);

const alarmKind = s
  .strictObject({
    kind: s.words([...ALARM_KINDS, 'unknown']).describe('Kind, as in an `Alarm`.'),
    count: count.describe('How often, in the last 24 hours, among the newest 200 alarms.'),
    last_at: dateTime.describe('When it was raised last. RFC 3339, UTC, milliseconds.'),
    parties: s
      .array(party)
      .describe('The parties that are accused; empty where that cannot be told.'),
    what_to_do: s
      .string()
      .describe('In a sentence; docs/how-to/runbooks has a page for each kind.'),
  })
  .meta({ id: 'AlarmSummary' });

const stuckRequest = s
  .strictObject({
    request_id: id.describe('Id of the request.'),
    operation: s.string().describe('Id of the operation.'),
    waiting_ms: durationMs.describe('Time since the gateway received it, ms.'),
  })
  .meta({ id: 'StuckRequest' });

export const systemOperations = s
  .strictObject({
    at: dateTime.describe(
      'The time of these figures, by the clock of this gateway. RFC 3339, UTC, milliseconds.',
    ),
    gateway: s
      .strictObject({
        id: s
          .string()
          .describe('Names this process until it ends: other gateways have figures of their own.'),
        version: s.string().describe('Release of the gateway.'),
        uptime_s: count.describe('Time since the start of the gateway, s.'),
        event_loop_use: s
          .number()
          .min(0)
          .max(1)
          .describe(
            'Share of the time in which its event loop was busy. Near 1 the gateway is at its limit.',
          ),
        memory_bytes: count.describe('Resident memory, bytes.'),
        database_connections: counted('Connections of its pool.', {
          open: 'Open connections.',
          idle: 'Idle connections.',
          waiting: 'Queries that wait for one.',
        }),
      })
      .describe('The process that answers.'),
    ledger: s
      .strictObject({
        seq: count.describe('Sequence number of the head.'),
        hash: s.string().describe('Hash of the entry, hex.'),
        rules_version: count.describe(
          'The version of the rules by which the newest entry was judged.',
        ),
        confirmed_ms_ago: durationMs.describe(
          'Time since the database last showed that this is its newest entry, ms.',
        ),
        is_stopped: s
          .boolean()
          .describe('Whether this gateway has stopped following the ledger for good.'),
        pending: count.describe('Entries that wait for two countersignatures.'),
        oldest_ms: oldestMs,
        held: count.describe('Requests that wait for approvals or a delay.'),
      })
      .describe('The ledger as this gateway has folded it.'),
    parties: s.array(partyState).describe('The three parties, in order.'),
    pairs: s.array(pair).describe('State of each pair of parties.'),
    signing: signing.describe('Requests for signatures at this gateway.'),
    refusals: s
      .array(refusals)
      .describe('What was refused or failed, and why, the most frequent first; at most 50.'),
    authentication_faults: counted('Answers 401 since the start of this gateway, by reason.', {
      credential: 'Missing or wrong credentials.',
      timestamp: 'Stale timestamps.',
      assertion: 'Assertions that are no signature of the request.',
      replay: 'Requests that were used before.',
    }),
    too_often: counted('Answers 504 by rate limits since the start of this gateway, by limit.', {
      address: 'Requests of one address.',
      credential: 'Requests of one credential.',
      failures: 'Failed authentication.',
    }),
    stuck_requests: s
      .array(stuckRequest)
      .describe(
        'Requests for signatures that have waited for more than 5 seconds, the oldest first; at most 20. None is signed after 30 seconds.',
      ),
    freezes: s
      .strictObject({
        total: count.describe('All that are in force.'),
        by_scope: counted('Number of freezes by scope.', {
          system: 'The whole system.',
          vault: 'Vaults.',
          wallet: 'Wallets.',
          venue: 'Venues.',
          key: 'Keys.',
          user: 'Users.',
        }),
      })
      .describe('Freezes in force; `GET /v1/freezes` lists them.'),
    prices: s
      .strictObject({
        state: s
          .words(['ok', 'unavailable', 'none'])
          .describe(
            '`unavailable`: rules on values in USD deny everything now. `none`: no relay is configured.',
          ),
        relays: s
          .array(
            s.strictObject({
              relay: s.string().describe('Name of the relay.'),
              age_ms: durationMs
                .nullable()
                .describe('Age of its newest snapshot, ms; null: none was seen.'),
            }),
          )
          .describe('The relays that this gateway trusts.'),
      })
      .describe('Prices for rules on values in USD.'),
    alarms: s
      .array(alarmKind)
      .describe(
        'Alarms of the last 24 hours by kind, the newest first; `GET /v1/alarms` lists them.',
      ),
  })
  .meta({ id: 'SystemOperations' });

export type SystemOperations = s.InputOf<typeof systemOperations>;

const column = <Each extends s.AnyShape>(each: Each, text: string) => s.array(each).describe(text);

const trouble = s
  .strictObject({
    kind: s
      .words([
        'party_away',
        'pair_left_out',
        'frozen',
        'prices_away',
        'ledger_waits',
        'ledger_unconfirmed',
        'ledger_stopped',
      ])
      .describe(
        '`party_away`: a party was down, which is that no replica of it was heard. `pair_left_out`: the circuit breaker of two parties was open. `frozen`: something in `scope` was frozen. `prices_away`: there were no prices. `ledger_waits`: a change waited for two countersignatures for more than 10 seconds. `ledger_unconfirmed`: the database did not show its newest entry for 5 seconds. `ledger_stopped`: the gateway follows the ledger no more.',
      ),
    parties: s.array(party).describe('The parties that it is about; empty for none.'),
    scope: s
      .string()
      .optional()
      .describe(
        'Of a freeze: `system`, `vault`, `wallet`, `venue`, `key` or `user`. Absent: it is none.',
      ),
    from: dateTime.describe('When this gateway saw it first. RFC 3339, UTC, milliseconds.'),
    to: dateTime.nullable().describe('When it saw it no more; null while it lasts.'),
  })
  .meta({ id: 'Trouble' });

export const systemHistory = s
  .strictObject({
    gateway_id: s.string().describe('The gateway whose view this is: others have their own.'),
    since: dateTime.describe(
      'When it was started: it remembers nothing from before. RFC 3339, UTC, milliseconds.',
    ),
    minutes: s
      .strictObject({
        at: column(dateTime, 'Start of each minute. RFC 3339, UTC, milliseconds.'),
        answered: column(count, 'Requests for signatures that were answered.'),
        succeeded: column(count, 'Requests that were signed.'),
        denied: column(count, 'Requests that were refused, or denied by the parties.'),
        failed: column(count, 'Requests that failed.'),
        p50_ms: column(durationMs.nullable(), 'Median time to the answer, ms; null for none.'),
        p95_ms: column(durationMs.nullable(), '95th percentile, ms; null for none.'),
        p99_ms: column(
          durationMs.nullable(),
          '99th percentile, ms; 2000 means that or more, null for none.',
        ),
        queued: column(
          s.array(count),
          'For each of the three parties, in order: the most batches that waited in its queues.',
        ),
      })
      .describe(
        'Columns of the same length, one place for each minute, oldest first. The last minute has only begun. A minute that the gateway did not see is left out.',
      ),
    troubles: s
      .array(trouble)
      .describe('What was not as it should be, the newest first; at most 200.'),
  })
  .meta({ id: 'SystemHistory' });

export type SystemHistory = s.InputOf<typeof systemHistory>;

export const queueSession = s
  .strictObject({
    path: s.string().describe('Where the page is: at this gateway, and for this browser.'),
    ends_at: dateTime.describe('When the cookie ends, at the latest. RFC 3339, UTC, milliseconds.'),
  })
  .meta({ id: 'QueueSession' });

import * as s from '@countersign/core/shapes.js';
import { pageOf } from './common-schema.js';
import { dateTime, id } from './primitives.js';
import { evaluatedFacts } from './policy-schema.js';
import { receipt } from './signing-schema.js';

const checkState = s.words(['ok', 'unavailable']);
const partyState = s.words([
  'ok',
  'unavailable',
  'cannot_pin',
  'cannot_record',
  'waits',
  'other_release',
]);

export const health = s
  .strictObject({
    status: s
      .words(['ok', 'degraded'])
      .describe(
        '`ok`: it can sign, which takes PostgreSQL, Redis and two of the parties, and that what is asked for comes to an end.',
      ),
    version: s.string().describe('Version of the service.'),
    uptime_s: s.number().describe('Whole seconds since this gateway was started.'),
    checks: s
      .strictObject({
        postgres: checkState.describe('`ok`: the ledger could be read in the last 5 seconds.'),
        ledger: checkState.describe(
          '`unavailable`: this gateway cannot follow the ledger and has stopped for good (alarm `ledger_fault`). It does not ask PostgreSQL any more, so that `postgres` is `unavailable`, too.',
        ),
        redis: checkState.describe('`ok`: connected, and nonces can be remembered.'),
        signers: s
          .strictObject({
            party_1: partyState.describe('`ok`: party 1 says that it is alive.'),
            party_2: partyState.describe('`ok`: party 2 says that it is alive.'),
            party_3: partyState.describe('`ok`: party 3 says that it is alive.'),
          })
          .describe(
            'The three signer parties. `cannot_pin`: the disk under its pin file takes nothing, so that it signs nothing. `cannot_record`: the database does not take its records of signatures. `waits`: it began anew, and does not sign until it may take requests and holds its shares. `other_release`: it and this gateway speak no common version of the protocol.',
          ),
        signing: checkState.describe(
          '`ok`: in the last 10 seconds two parties decided about something that this gateway sent them, and could record it. Without traffic that is a probe every 5 seconds. It takes the path of a request for a signature, with nothing that could be signed.',
        ),
        governance: checkState.describe(
          '`ok`: no change of the vault has waited longer than 10 seconds for two parties to countersign it. It does not count for `status`: a vault can sign while nothing can be changed.',
        ),
        pin: checkState.describe(
          '`ok`: this gateway has written down the newest head of the ledger that it has seen. `unavailable`: the disk under its pin file does not take it; it is tried again all the time. It does not count for `status`: a gateway signs nothing.',
        ),
        prices: checkState
          .optional()
          .describe(
            '`ok`: enough of the relays of prices that this gateway trusts have published fresh ones; rules on values in US dollars deny everything otherwise. It does not count for `status`. Absent: no relay is configured.',
          ),
      })
      .describe('Parts that this gateway depends on.'),
  })
  .meta({ id: 'Health' });

export const probe = s
  .strictObject({ status: checkState.describe('`ok` goes with 200, `unavailable` with 503.') })
  .meta({ id: 'Probe' });

/** Which vault it is. */
const vaultIdentity = {
  vault_id: s
    .string()
    .describe('UUID of this deployment, made at its first start; empty before that.'),
  genesis_hash: s
    .string()
    .describe('SHA-256 of the first ledger entry, hex; empty before the first start.'),
};

export const info = s
  .strictObject({
    name: s.string().describe('Name of the product.'),
    version: s.string().describe('Version of the service.'),
    spec_version: s.string().describe('Version of the API specification that it follows.'),
    server_time: dateTime.describe("This gateway's clock; RFC 3339, UTC, milliseconds."),
    server_time_ms: s.int().describe('The same in milliseconds since the Unix epoch.'),
    ...vaultIdentity,
    ledger_head: s
      .strictObject({
        seq: s.int().describe('Its sequence number; 0 before the first start.'),
        hash: s.string().describe('Its hash, SHA-256, hex; zeros before the first start.'),
      })
      .describe('The last ledger entry that this gateway has read.'),
    system_freeze: s
      .strictObject({
        at: dateTime.describe('Time of the freeze; RFC 3339, UTC, milliseconds.'),
      })
      .nullable()
      .describe(
        'The freeze of the whole system, which stops all signing; null: none. Who froze it, and why, is in `GET /v1/freezes`.',
      ),
  })
  .meta({ id: 'Info' });

export const signInFacts = s
  .strictObject({
    ...vaultIdentity,
    relying_party: s
      .strictObject({
        id: s.string().describe('RP id of its passkeys: a domain, e.g. `vault.example.com`.'),
        origins: s
          .array(s.string())
          .describe(
            'Pages whose assertions count, as browsers write origins, e.g. `https://vault.example.com`.',
          ),
      })
      .nullable()
      .describe(
        'Where passkeys of this vault belong, from its genesis. Null: it names none, and people cannot enrol.',
      ),
    providers: s
      .array(
        s.strictObject({
          kind: s
            .words(['azure', 'gcp', 'oidc', 'development'])
            .describe(
              '`azure`: Microsoft Entra ID. `gcp`: Google. `oidc`: another one (OpenID Connect). `development`: signs in whoever asks, on a machine of a developer.',
            ),
          issuer: s
            .string()
            .describe(
              'Its name and address (OpenID Connect Discovery 1.0), for Google the one with `https`.',
            ),
          client_id: s.string().describe('Id of the application for which it issues tokens.'),
        }),
      )
      .describe('Whose tokens count; empty: no person can sign in.'),
  })
  .meta({ id: 'SignInFacts' });

export const systemInfo = s
  .strictObject({
    supported_blockchain_networks: s
      .array(
        s.strictObject({
          family: s.string().describe('Id of the family, e.g. `solana`.'),
          display_name: s.string().describe('Name for people.'),
          key_type: s.literal('ed25519').describe('Type of the keys of its wallets.'),
          networks: s
            .array(
              s.strictObject({
                id: s.string().describe('Id of the network, e.g. `solana-mainnet`.'),
                display_name: s.string().describe('Name for people.'),
                is_testnet: s.boolean().describe('Whether its coins are worthless by design.'),
                enabled: s
                  .boolean()
                  .describe('Whether it can be used now: a testnet only while `testnets_enabled`.'),
                address_format: s
                  .string()
                  .describe(
                    '`base58`: of the 32-byte key. `0x_hex`: `0x` and 64 lower-case hex characters. `hex`: 64 of them. `strkey`: 56 characters of checked base32.',
                  ),
                assets: s
                  .array(
                    s.strictObject({
                      id: s
                        .string()
                        .describe('Unique in the whole catalogue, e.g. `solana-mainnet/usdc`.'),
                      symbol: s.string().describe('Common name, e.g. `USDC`.'),
                      decimals: s
                        .int()
                        .describe(
                          'Digits after the decimal point: one whole coin is 10^decimals smallest units.',
                        ),
                      is_native: s.boolean().describe("Whether it is the network's own coin."),
                      contract: s
                        .string()
                        .optional()
                        .describe(
                          'Which token it is, as its chain writes it: Solana mint, Sui coin type, Aptos metadata address, Stellar `CODE:ISSUER`, NEAR contract account. Absent: the native coin.',
                        ),
                    }),
                  )
                  .describe('Assets of the network, the native coin first.'),
              }),
            )
            .describe(
              'Its networks, disabled ones included: a key has one address on all of them.',
            ),
        }),
      )
      .describe('Families of networks that wallets can be made for.'),
    supported_venues: s
      .array(
        s.strictObject({
          id: s.string().describe('Id, as `venue_id` of a key names it, e.g. `kraken`.'),
          display_name: s.string().describe('Name for people.'),
          key_types: s.array(s.string()).describe('Types of key that it takes.'),
          operation_classes: s
            .array(s.string())
            .describe('What a request to it can come to, as rules name it.'),
        }),
      )
      .describe('Venues that requests can be signed for.'),
  })
  .meta({ id: 'SystemInfo' });

export const REQUEST_STATUSES = [
  'processing',
  'completed',
  'failed',
  'rejected',
  'expired',
  'cancelled',
] as const;

export const requestRecord = s
  .strictObject({
    request_id: id.describe('Id of the request.'),
    operation: s.string().describe('Id of the operation that was asked for, e.g. `create-user`.'),
    status: s
      .words(REQUEST_STATUSES)
      .describe(
        '`rejected`: refused, with the reason in `error`, or rejected by an approver. `failed`: it came to nothing, e.g. an import whose parts do not fit, or a service that was down. `expired`: no signature, no two countersignatures, or not enough approvals came in time. `cancelled`: by whoever asked, or, while it waited for its time, by somebody who may freeze.',
      ),
    phase: s
      .words(['undecided', 'queued', 'awaiting_approval', 'working'])
      .optional()
      .describe(
        'Present while `processing`. `undecided`: two parties have yet to countersign a change of the vault, which may be after its timestamp went stale. `queued`: a signature waits, or an approved change that a policy delays. `working`: a key or wallet is being made, or the parties do not obey a freeze yet. `awaiting_approval`: not enough approvals were given.',
      ),
    progress: s
      .strictObject({
        candidates_tried: s.int().describe('Number of candidates tried so far.'),
        candidates_expected: s.int().describe('Number of candidates that it takes on average.'),
      })
      .optional()
      .meta({
        description:
          'How far the generation of an RSA key has come, where the parties say; absent otherwise. The number of candidates needed is geometrically distributed around the expected one: no percentage.',
      }),
    created_at: dateTime.describe('When it was accepted; RFC 3339, UTC, milliseconds.'),
    created_by: id.describe('Id of the user who asked.'),
    expires_at: dateTime
      .nullable()
      .describe(
        'Until when a signature, the countersignatures of a change of the vault, or approvals, can come; RFC 3339, UTC, milliseconds. Null once a change was judged, and for a freeze, which counts whatever its age.',
      ),
    completed_at: dateTime
      .optional()
      .describe(
        'When it came to its end; RFC 3339, UTC, milliseconds. Absent until then, where it `failed` or `expired`, and for a key or wallet that was made.',
      ),
    result: s
      .unknown()
      .optional()
      .describe(
        'What the operation answers with 200, once `completed`: for the user who asked alone, absent for everybody else; a secret in it is shown once. Null when what was made is gone since.',
      ),
    error: s
      .strictObject({
        err_type: s.string().describe('Type of the error, as in an Error.'),
        err_msg: s.string().describe('The error, for people.'),
      })
      .optional()
      .describe(
        'The reason why it was `rejected` or `failed`. Where it is `completed` without a `result`, the freeze that keeps the signature back. Absent otherwise.',
      ),
    countersignatures: s
      .array(
        s.strictObject({
          party: s.int().describe('Number of the party, 1 to 3.'),
          at: dateTime.describe("When, by that party's clock; RFC 3339, UTC, milliseconds."),
        }),
      )
      .optional()
      .describe(
        'The two parties that judged a change of the vault: it was judged at the later of their times. Absent until then, and for a signature.',
      ),
    approvals: s
      .strictObject({
        required: s
          .int()
          .describe(
            'Number of approvals needed under the policies at the time of the request; 0 for none. Where several policies ask it is the largest of their quorums: each has to be met.',
          ),
        given: s.array(s.string()).describe('Ids of the users who approved, in order.'),
      })
      .describe(
        'The approvals that it needs and has. They are counted anew at every decision: those of users who are frozen, deleted, expired, asked no longer, or have another credential do not count.',
      ),
    approved_at: s
      .array(dateTime)
      .optional()
      .describe(
        'When each of `approvals.given` was given, in the same order; RFC 3339, UTC, milliseconds. Absent where none was.',
      ),
    batch: s
      .strictObject({
        request_id: id.describe('Id of the batch.'),
        index: s.int().describe('Place of the item in it, from 0.'),
      })
      .optional()
      .describe(
        'Of an item of a batch: the request that asked for it. The id of the item follows from both. Absent for every other request, and for an item that a gateway refused.',
      ),
    items: s
      .array(
        s.strictObject({
          request_id: id.describe('Id of the item, under which it has a record of its own.'),
          index: s.int().describe('Place of the item in the batch, from 0.'),
          status: s
            .words(REQUEST_STATUSES)
            .describe('As in the record of the item: `completed` is signed, `rejected` denied.'),
        }),
      )
      .optional()
      .describe('Of a batch: its items, in order. Absent for every other request.'),
    asked_by: s
      .array(
        s.strictObject({
          policy_id: id.describe('Id of the policy.'),
          version: s.int().describe('Version of the policy when the request was made.'),
          rule_id: id
            .optional()
            .describe('Of a signature: id of the rule of that signing policy. Absent for others.'),
          quorum: s.int().describe('How many approvals it asks for; 0 where it only delays.'),
        }),
      )
      .optional()
      .describe(
        'The policies for which it waits, or waited; absent where it never did. For a signature that waits they are the rules that decide about it now, as this gateway reads it. For one that waits no longer they are those that could have asked.',
      ),
    takes_effect_at: dateTime
      .optional()
      .describe(
        'When a change that is delayed takes effect, or did; RFC 3339, UTC, milliseconds. Absent until it is approved, and where nothing delays it.',
      ),
    decided_by: id
      .optional()
      .describe('Id of the user who rejected or cancelled it; absent otherwise.'),
    digest: s
      .string()
      .optional()
      .describe(
        'Digest that an approval names: 64 hexadecimal digits. It is SHA-256 over the ASCII text `countersign approval v1`, the transcript digest, the id of the requester, method, path, query and body. Each stands after its length (4 bytes, little-endian). Absent where nothing waits or waited.',
      ),
    content: s
      .strictObject({
        transcript: s
          .string()
          .describe('Digest of the transcript that the requester signed: 64 hexadecimal digits.'),
        method: s.string().describe('HTTP method.'),
        path: s.string().describe('Path, as it was sent.'),
        query: s.string().describe('Query without its `?`, as it was sent; empty for none.'),
        body: s.string().describe('Bytes of the body, as they were sent; base64.'),
      })
      .optional()
      .describe(
        'What was asked for: while it waits, and of a signature that two parties have decided about. Absent otherwise, and in lists of what has ended.',
      ),
    receipt: receipt
      .optional()
      .describe(
        'Of a signature that was made: what both parties signed about it. Whoever may see the record may see it; it does not hold the signature. Absent otherwise, and in lists.',
      ),
    key_entry: s
      .strictObject({
        seq: s.int().describe('Sequence number of the entry in the ledger.'),
        prev_hash: s
          .string()
          .describe('Hash of the entry before it: 64 hexadecimal digits, lower case.'),
        body: s.string().describe('Body of the entry, which its hash covers too; base64.'),
      })
      .optional()
      .describe(
        'Of a signature whose content is shown, with a key of a venue: the ledger entry that made the key. The id of the key, which stands in the signed path, is derived from the hash of this entry, and the entry names the venue. `countersign requests show --verify` and the console compare them. Absent in lists.',
      ),
    facts: evaluatedFacts
      .optional()
      .describe(
        'What rules look at in the order, transaction or message that waits for approvals, as this gateway reads it from `content`; absent otherwise. `countersign requests show --verify` reads it again elsewhere.',
      ),
  })
  .meta({ id: 'RequestRecord' });

export const auditEntry = s
  .strictObject({
    chain: s.string().meta({
      description: 'Which hash chain it stands in: `ledger`, or the id of one writing process.',
    }),
    seq: s.int().meta({ description: 'Place in its chain, from 1.' }),
    time: dateTime.describe('When it happened; RFC 3339, UTC, milliseconds.'),
    actor: s
      .string()
      .describe(
        'Id of the user who asked; `genesis`; `party_1` to `party_3` for what a party vouches for; `unknown` when nobody known did it.',
      ),
    action: s
      .string()
      .describe(
        'Id of the operation, e.g. `create-user`; or `genesis`, `key_attestation`, `key_refusal`, `import_recipient`, `evidence_key`, `evidence_key_withdrawal`, `unreadable`.',
      ),
    resource: s
      .strictObject({
        type: s
          .string()
          .describe('What kind of thing it is about, e.g. `user`; `none` where that is not known.'),
        ids: s.array(s.string()).describe('Ids of these things; empty for none.'),
        vault_ids: s.array(s.string()).describe('Ids of vaults that it is about; empty for none.'),
        wallet_addresses: s
          .array(s.string())
          .describe('Addresses of wallets that it is about; empty for none.'),
        key_ids: s.array(s.string()).describe('Ids of keys that it is about; empty for none.'),
        user_ids: s.array(s.string()).describe('Ids of users that it is about; empty for none.'),
      })
      .describe('What the entry is about.'),
    outcome: s
      .words(['allowed', 'denied', 'failed'])
      .describe(
        '`denied`: refused, for whatever reason. `failed`: the service could not do it. `allowed` also for what only waits so far: `details.waits_for` says for what.',
      ),
    request_id: s
      .string()
      .nullable()
      .describe('Id of the request; null for what nobody requested.'),
    policy: s
      .strictObject({
        id: s.string().describe('Id of the administrative or signing policy.'),
        version: s.int().describe('Version of the policy at that time.'),
        rule_id: s
          .string()
          .optional()
          .describe('Id of the rule of a signing policy; absent for administrative policies.'),
      })
      .optional()
      .describe('The policy that decided; absent where none did.'),
    details: s
      .record(s.string(), s.unknown())
      .describe(
        'What else is known, e.g. `reason` of what was denied, `waits_for` (`approvals` or `delay`) of what was made to wait, `message_sha256` (hex) of what was signed, `changes` of an accepted change: each row that it created, changed or removed, before and after. Empty for nothing.',
      ),
    prev_hash: s
      .string()
      .describe('`hash` of the entry before it in its chain, hex; zeros for the first.'),
    hash: s.string().describe('SHA-256 of the recorded entry and `prev_hash`, hex.'),
  })
  .meta({ id: 'AuditEntry' });

export type AuditEntryView = s.InputOf<typeof auditEntry>;

export const auditPage = pageOf('AuditPage', auditEntry, 'Newest first.');

/** The writer and, within it, the chain: each writer chooses the ids of its chains. */
export const AUDIT_CHAIN_NAME = /^(?:ledger|(?:gateway|party_[123]):[A-Za-z0-9_.-]{1,128})$/;

export const auditChain = s
  .strictObject({
    name: s
      .string()
      .describe(
        'What the chain is asked for by: `ledger`, or its writer (`gateway`, `party_1` to `party_3`), a colon, and the `chain` of its entries.',
      ),
    seq: s.int().describe('`seq` of its last entry.'),
  })
  .meta({ id: 'AuditChain' });

export type AuditChainView = s.InputOf<typeof auditChain>;

export const auditChainList = pageOf(
  'AuditChainPage',
  auditChain,
  'The ledger first, then by writer and name.',
);

export const auditChainEntries = s
  .strictObject({
    results: s
      .array(auditEntry)
      .describe(
        'The entries that follow `after`, in the order of the chain and without a gap; empty when there are none yet.',
      ),
  })
  .meta({ id: 'AuditChainEntries' });

/**
 * Where each limit of docs/reference/limits.md is in the code or in the API's description, by its section and its name
 * there. A constant or property with its file; a field or parameter of an operation; or a file that states the value.
 */
export const LIMIT_SOURCES: Readonly<Record<string, readonly [string, string?]>> = {
  'Requests over HTTP: body of a request': ['MAX_BODY_BYTES', 'gateway/src/http/read-body.ts'],
  'Requests over HTTP: depth of JSON': ['MAX_DEPTH', 'shared/core/src/strict-json.ts'],
  'Requests over HTTP: headers of a request': ['MAX_HEADERS', 'gateway/src/http/message-head.ts'],
  'Requests over HTTP: headers of a request, in all': [
    'maxHeaderSize',
    'gateway/src/http/fast-server.ts',
  ],
  'Requests over HTTP: assertion': ['MAX_ASSERTION_CHARS', 'gateway/src/admission/auth-headers.ts'],
  'Requests over HTTP: identity token': [
    'MAX_TOKEN_CHARS',
    'shared/vault/src/authentication/token-identity.ts',
  ],
  'Requests over HTTP: headers come within': ['headersTimeout', 'gateway/src/http/fast-server.ts'],
  'Requests over HTTP: the request comes within': [
    'requestTimeout',
    'gateway/src/http/fast-server.ts',
  ],
  'Requests over HTTP: idle connection': ['keepAliveTimeout', 'gateway/src/http/fast-server.ts'],
  'Requests over HTTP: connections to a gateway': ['MAX_CONNECTIONS', 'gateway/src/main.ts'],
  'Requests over HTTP: bodies in a gateway': [
    'LIMITS.totalBytes',
    'gateway/src/http/body-memory.ts',
  ],
  "Requests over HTTP: each of a caller's two shares of them": [
    'LIMITS.callerBytes',
    'gateway/src/http/body-memory.ts',
  ],
  "Requests over HTTP: caller's clock differs by": [
    'TIMESTAMP_WINDOW_MS',
    'shared/vault/src/authentication/authenticate.ts',
  ],
  'Requests over HTTP: `Prefer: wait=`': ['MAX_WAIT_S', 'gateway/src/http/prefer.ts'],
  'Requests over HTTP: without it, for a signature': [
    'DEFAULT_WAIT_MS',
    'gateway/src/sign/await-signature.ts',
  ],
  'Requests over HTTP: without it, for a change': [
    'DEFAULT_WAIT_MS',
    'gateway/src/govern/handle-ledger-operation.ts',
  ],
  'Requests over HTTP: idempotency key': ['gateway/src/requests/idempotency.ts'],
  'Requests over HTTP: results of a page': ['GET /v1/keys?limit'],
  'Requests over HTTP: the same without `limit`': [
    'DEFAULT_PAGE_LIMIT',
    'shared/api/src/primitives.ts',
  ],
  "Requests over HTTP: items of a query's list": [
    'items.length >',
    'shared/api/src/requests/primitives.ts',
  ],
  'Rates: requests of one address': [
    'DEFAULT_RATES.perAddress',
    'shared/runtime/src/settings/gateway-config.ts',
  ],
  'Rates: requests that a caller signs': [
    'DEFAULT_RATES.perCredential',
    'shared/runtime/src/settings/gateway-config.ts',
  ],
  'Rates: failed checks from one address': [
    'DEFAULT_RATES.failuresPerAddress',
    'shared/runtime/src/settings/gateway-config.ts',
  ],
  'Rates: burst of the first two, in s of rate': [
    'BURST_S',
    'gateway/src/admission/rate-limits.ts',
  ],
  'Rates: of failed checks': ['ADDRESS_BURST_S', 'gateway/src/admission/failed-checks.ts'],
  'Rates: freezes that a caller signs, times `FAILURES_PER_ADDRESS`': [
    'BRAKES_PER_FAILURE',
    'gateway/src/admission/rate-limits.ts',
  ],
  "Rates: addresses known as a caller's own": [
    'MAX_ADDRESSES',
    'gateway/src/admission/proven-callers.ts',
  ],
  'Rates: entries of a caller without policy, at once': [
    'BYTES.capacity',
    'gateway/src/admission/own-entries.ts',
  ],
  'Rates: the same, afterwards': ['BYTES.perSecond', 'gateway/src/admission/own-entries.ts'],
  'Rates: waiting requests': ['MAX_AHEAD', 'gateway/src/sign/admission-control.ts'],
  'Rates: longest wait for a batch': ['WAIT_MS', 'gateway/src/sign/admission-control.ts'],
  'Rates: last signature of a request for several': [
    'BUNDLE_MS',
    'gateway/src/sign/admission-control.ts',
  ],
  'Rates: items of a request in smaller batches': [
    'BUNDLE_TIMES',
    'gateway/src/sign/admission-control.ts',
  ],
  'What a request may say: name for people': ['POST /v1/keys: display_name'],
  'What a request may say: description': ['POST /v1/keys: description'],
  'What a request may say: reason': ['POST /v1/keys/freeze: reason'],
  'What a request may say: labels of a key or wallet': [
    'MAX_LABELS',
    'shared/api/src/requests/labels.ts',
  ],
  'What a request may say: value of a label': ['POST /v1/keys: labels.*'],
  'What a request may say: keys in one request': ['POST /v1/keys/bulk: keys'],
  'What a request may say: wallets in one request': [
    'POST /v1/vaults/{vault_id}/wallets/bulk: wallets',
  ],
  'What a request may say: networks of a wallet': ['POST /v1/vaults/{vault_id}/wallets: networks'],
  'What a request may say: groups of a user': ['POST /v1/users: user_group_ids'],
  'What a request may say: path of a venue request': [
    'POST /v1/keys/{key_id}/sign: venue_request.path',
  ],
  'What a request may say: query of a venue request': [
    'POST /v1/keys/{key_id}/sign: venue_request.query',
  ],
  'What a request may say: body of a venue request': [
    'POST /v1/keys/{key_id}/sign: venue_request.body',
  ],
  'What a request may say: raw message': ['MAX_MESSAGE_BYTES', 'shared/api/src/signing-schema.ts'],
  'What a request may say: Solana transaction': [
    'MAX_WIRE_BYTES',
    'shared/chains/src/solana-transaction.ts',
  ],
  'What a request may say: part of an import': ['POST /v1/keys/import: shares[].sealed'],
  'What a request may say: HMAC secret': [
    'MAX_SECRET_BYTES',
    'client/src/keys/read-hmac-secret.ts',
  ],
  'What a request may say: imported key file': [
    'MAX_FILE_BYTES',
    'client/src/keys/read-key-file.ts',
  ],
  'Policies: rules of a policy': ['POST /v1/signing-policies: rules'],
  'Policies: policies ordered at once': [
    'PUT /v1/security-groups/{group_id}/signing-policy-order: signing_policy_ids',
  ],
  'Policies: members added at once': ['PATCH /v1/security-groups/{group_id}/members: add'],
  'Policies: members of a security group': [
    'MAX_MEMBERS',
    'shared/vault/src/operations/security-groups.ts',
  ],
  'Policies: entries of other lists': ['POST /v1/signing-policies: rules[].when.symbols'],
  'Policies: entries of `destinations`': ['POST /v1/signing-policies: rules[].when.destinations'],
  'Policies: `destination_lists` of a rule': [
    'POST /v1/signing-policies: rules[].when.destination_lists',
  ],
  'Policies: entries of an address list': ['POST /v1/address-lists: entries'],
  'Policies: window of a `velocity`': ['POST /v1/signing-policies: rules[].when.velocity.window_s'],
  'Policies: approvals of a rule': [
    'POST /v1/signing-policies: rules[].then.require_approvals.quorum',
  ],
  'Policies: wait for approvals': [
    'POST /v1/signing-policies: rules[].then.require_approvals.expires_in_s',
  ],
  'Policies: where nothing is stated': [
    'DEFAULT_EXPIRY_S',
    'shared/vault/src/operations/asked-approvals.ts',
  ],
  'Policies: delay of a change': ['POST /v1/admin-policies: delay_s'],
  'Policies: rules of an approval': ['POST /v1/requests/{request_id}/approve: rule_ids'],
  'Policies: approvals in a receipt': ['MAX_APPROVALS', 'shared/api/src/receipt.ts'],
  'Policies: use of an approval': ['RELEASE_LIFE_MS', 'shared/vault/src/policy/approvals.ts'],
  'Policies: period of a backtest': ['MAX_BACKTEST_DAYS', 'shared/api/src/backtest-schema.ts'],
  "Policies: requests of a backtest's answer": [
    'MAX_BACKTEST_REQUESTS',
    'shared/api/src/backtest-schema.ts',
  ],
  'Policies: without a number': ['DEFAULT_BACKTEST_REQUESTS', 'shared/api/src/backtest-schema.ts'],
  'Policies: refused request kept for backtests': [
    'MAX_REFUSED_EVIDENCE',
    'gateway/src/requests/refused-request.ts',
  ],
  'Policies: recorded attempts by frozen caller, frozen target, or API key out of place; then 6 an hour':
    ['OF_TARGET.capacity', 'gateway/src/requests/bounded-refusals.ts'],
  'Policies: of a caller at all targets, then 60 an hour': [
    'OF_CALLER.capacity',
    'gateway/src/requests/bounded-refusals.ts',
  ],
  'People and users: life of an enrolment code': [
    'ENROLLMENT_LIFE_MS',
    'shared/vault/src/authentication/user-secrets.ts',
  ],
  'People and users: address ranges of an API key': ['POST /v1/users: allowed_addresses'],
  'People and users: passkeys of a person': [
    'MAX_PASSKEYS',
    'shared/vault/src/operations/passkeys.ts',
  ],
  'People and users: age of an identity token': [
    'MAX_AGE_S',
    'shared/runtime/src/tokens/token-verifier.ts',
  ],
  'People and users: clock of a provider differs by': [
    'TOLERANCE_S',
    'shared/runtime/src/tokens/token-verifier.ts',
  ],
  "People and users: use of a provider's keys": [
    'FRESH_MS',
    'shared/runtime/src/tokens/provider-keys.ts',
  ],
  'People and users: while it cannot be reached': [
    'STALE_MS',
    'shared/runtime/src/tokens/provider-keys.ts',
  ],
  'The ledger: an entry': ['MAX_ENTRY_BYTES', 'shared/vault/src/ledger/entry.ts'],
  'The ledger: entries of one append': [
    'MAX_CALL_ENTRIES',
    'shared/runtime/src/ledger/ledger-store.ts',
  ],
  'The ledger: size of one append': ['MAX_CALL_BYTES', 'shared/runtime/src/ledger/ledger-store.ts'],
  'The ledger: requests that await approvals or time': [
    'MAX_HELD',
    'shared/vault/src/ledger/waiting-rows.ts',
  ],
  'The ledger: of them by one caller': [
    'MAX_HELD_BY_ONE',
    'shared/vault/src/ledger/waiting-rows.ts',
  ],
  'The ledger: their bodies together': [
    'MAX_HELD_BYTES',
    'shared/vault/src/ledger/waiting-rows.ts',
  ],
  'The ledger: of one caller': ['MAX_HELD_BYTES_BY_ONE', 'shared/vault/src/ledger/waiting-rows.ts'],
  'The ledger: entries not judged yet': ['MAX_PENDING', 'shared/vault/src/ledger/fold.ts'],
  'The ledger: in bytes': ['MAX_PENDING_BYTES', 'shared/vault/src/ledger/fold.ts'],
  "The ledger: judging parties' clocks differ by": [
    'AGREEMENT_MS',
    'shared/vault/src/ledger/party-statement.ts',
  ],
  'The ledger: a change is stuck after': [
    'STUCK_AFTER_MS',
    'gateway/src/govern/governance-watch.ts',
  ],
  'The ledger: a snapshot is written every': [
    'EVERY_ROWS',
    'shared/runtime/src/ledger/fold-snapshots.ts',
  ],
  'Signing: life of a request': ['SIGN_TIME_TO_LIVE_MS', 'shared/runtime/src/jobs/names.ts'],
  'Signing: requests of a batch': ['MAX_BATCH', 'shared/runtime/src/jobs/names.ts'],
  'Signing: slower batches make the next smaller': [
    'BATCH_MS.quick',
    'gateway/src/sign/admission-control.ts',
  ],
  'Signing: with RSA': ['BATCH_MS.rsa', 'gateway/src/sign/admission-control.ts'],
  "Signing: items of a thread's task": [
    'ITEMS_OF_A_FAST_TASK',
    'signer/src/threads/thread-pools.ts',
  ],
  'Signing: a pair is given up after at least': [
    'ATTEMPT_MS',
    'gateway/src/sign/admission-control.ts',
  ],
  'Signing: a pair that fails is left out for': [
    'MAX_PAUSE_MS',
    'gateway/src/sign/pair-breakers.ts',
  ],
  'Signing: replicas of a party': ['MAX_REPLICAS', 'gateway/src/sign/seen-replicas.ts'],
  'Signing: a replica is dead without a sign for': [
    'PRESENCE_TTL_MS',
    'shared/runtime/src/jobs/names.ts',
  ],
  'Signing: a commit of records is given up after': [
    'COMMIT_WITHIN_MS',
    'signer/src/open-party.ts',
  ],
  'Signing: requests that a party remembers': ['MAX_KEPT', 'signer/src/requests/request-memory.ts'],
  'Signing: requests counted for limits in memory': [
    'MAX_COUNTED',
    'signer/src/limits/own-counts.ts',
  ],
  "Signing: sealed shares in a replica's memory": [
    'MAX_CACHED',
    'signer/src/records/share-store.ts',
  ],
  'Signing: readiness rests on a signature or probe in': [
    'PROVEN_FOR_MS',
    'gateway/src/sign/signing-watch.ts',
  ],
  'Signing: a probe is sent after silence of': [
    'PROBE_AFTER_MS',
    'gateway/src/sign/signing-probe.ts',
  ],
  "Signing: a killed replica's name is free after": [
    'LEASE_MS',
    'signer/src/party/replica-lease.ts',
  ],
  'Signing: its lock on a key is free after': ['LEASE_MS', 'signer/src/party/key-lock.ts'],
  'Keys: spoiled runs before giving up': [
    'MAX_PROTOCOL_FAULTS',
    'signer/src/ceremonies/perform-ceremony.ts',
  ],
  'Keys: keys made at once': ['KEYS_AT_ONCE', 'signer/src/work-jobs.ts'],
  'Keys: life of an import key': ['LIFETIME_MS', 'signer/src/imports/import-key-rotation.ts'],
  'Keys: the next one is made ahead by': [
    'RENEW_BEFORE_MS',
    'signer/src/imports/import-key-rotation.ts',
  ],
  'Keys: its private half is kept for': [
    'KEPT_AFTER_EXPIRY_MS',
    'signer/src/imports/import-key-rotation.ts',
  ],
  'Keys: the client library waits for': ['WAIT_MS', 'client/src/calls/operation-calls.ts'],
  'Audit, alarms and figures: exports at once, of a gateway': [
    'MAX_AT_ONCE',
    'gateway/src/audit/export-snapshot.ts',
  ],
  'Audit, alarms and figures: an untaken export ends after': [
    'STALLED_AFTER_MS',
    'gateway/src/audit/export-audit-route.ts',
  ],
  'Audit, alarms and figures: reason of an alarm': [
    'MAX_ALARM_REASON',
    'shared/core/src/alarm-statement.ts',
  ],
  'Audit, alarms and figures: evidence of an alarm': [
    'MAX_ALARM_EVIDENCE',
    'shared/core/src/alarm-statement.ts',
  ],
  'Audit, alarms and figures: alarms of a login in a minute': [
    'ROWS_A_MINUTE',
    'infra/admin/src/database/migrations/0001-alarms.ts',
  ],
  'Audit, alarms and figures: streams of figures, of a gateway': [
    'LIMITS.inAll',
    'gateway/src/read/stream-operations-route.ts',
  ],
  'Audit, alarms and figures: streams of figures, of a caller': [
    'LIMITS.perCaller',
    'gateway/src/read/stream-operations-route.ts',
  ],
  'Audit, alarms and figures: a stream ends after': [
    'LIMITS.longestMs',
    'gateway/src/read/stream-operations-route.ts',
  ],
  'Audit, alarms and figures: old requests are removed after': [
    'MIN_DAYS',
    'infra/admin/src/database/retention.ts',
  ],
  "Audit, alarms and figures: text of a log line's field": [
    'MAX_TEXT',
    'shared/runtime/src/process/logger.ts',
  ],
  'Webhooks and prices: webhooks of a vault': [
    'MAX_WEBHOOKS',
    'shared/vault/src/operations/webhooks.ts',
  ],
  'Webhooks and prices: URL of a webhook': ['POST /v1/webhooks: url'],
  'Webhooks and prices: waiting events of a webhook': [
    'MAX_WAITING',
    'notifier/src/deliveries/delivery-store.ts',
  ],
  'Webhooks and prices: attempts at once of a webhook': [
    'AT_ONCE',
    'notifier/src/deliveries/send-lines.ts',
  ],
  "Webhooks and prices: receiver's answer": [
    'ANSWER_WITHIN_MS',
    'notifier/src/deliveries/post-event.ts',
  ],
  'Webhooks and prices: prices of a snapshot': ['MAX_PRICES', 'shared/core/src/price-snapshot.ts'],
  'Webhooks and prices: prices in a receipt': ['MAX_PRICES', 'shared/api/src/receipt.ts'],
  'Webhooks and prices: a snapshot is ahead of the clock by': [
    'CLOCK_AHEAD_MS',
    'shared/runtime/src/prices/price-board.ts',
  ],
  "Webhooks and prices: a source's time": ['WITHIN_MS', 'infra/prices/src/read-source.ts'],
  'Webhooks and prices: answer of a source': ['MAX_BYTES', 'infra/prices/src/read-source.ts'],
};

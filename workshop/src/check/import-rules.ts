/**
 * The import rules. Each is a promise that CONTRIBUTING.md makes: test/boundaries/import-boundaries.test.ts plants a bad
 * import for each of them and expects the failure. That no two folders import each other is looked for beside them
 * (`folder-cycles.ts`).
 */
import type { ImportKind } from './import-graph.js';

/** Patterns of paths from the root; of several, one has to match. */
type Patterns = string | readonly string[];

export interface ImportRule {
  readonly name: string;
  readonly comment?: string;
  /** Who imports; every source where nothing is said. */
  readonly from: { readonly path?: Patterns; readonly pathNot?: Patterns };
  /** What is forbidden there: all that is said has to hold. `$1` is what the first group of `from.path` matched. */
  readonly to: {
    readonly path?: Patterns;
    readonly pathNot?: Patterns;
    readonly kinds?: readonly ImportKind[];
    /** By way of others too. */
    readonly reachable?: true;
    /** What in turn reaches who imports it. */
    readonly circular?: true;
  };
}

const TESTS = '(^test/|^workshop/slow/|\\.test\\.ts$|/fixtures/)';
const KEY_MATERIAL =
  'node_modules/(@noble/(curves|ed25519)|@hpke/|node-forge|piscina|sodium-native|libsodium)';

/** What is built, and no source. */
export const BUILT =
  /^((shared\/[a-z]+|gateway|signer|notifier|client|client\/ccxt|client\/mcp|console|console\/types|infra\/[a-z]+|workshop)\/dist|signer\/bench-dist|(gateway|signer|notifier|infra\/prices|infra\/dev)\/bundle)\//;

export const IMPORT_RULES: readonly ImportRule[] = [
  {
    name: 'gateway-never-imports-signer',
    comment: 'The gateway has no code that touches key material.',
    from: { path: '^gateway/' },
    to: { path: '^signer/' },
  },
  {
    name: 'signer-never-imports-gateway',
    from: { path: '^signer/' },
    to: { path: '^gateway/' },
  },
  {
    name: 'gateway-has-no-key-material-code',
    comment: 'Verifying a caller goes through shared/core/src/ed25519.ts alone.',
    from: { path: '^gateway/' },
    to: { path: KEY_MATERIAL },
  },
  {
    name: 'gateway-cannot-reach-custody-code',
    comment:
      'Not by way of a shared workspace either: signing, splitting and sealing stay outside.',
    from: { path: '^gateway/' },
    to: { path: '^shared/custody/', reachable: true },
  },
  {
    name: 'notifier-stands-by-itself',
    comment:
      'It alone connects to hosts that callers name: it has no code of gateway or party, and none that touches key material.',
    from: { path: '^notifier/' },
    to: { path: `^(gateway|signer|client|infra|shared/custody)/|${KEY_MATERIAL}` },
  },
  {
    name: 'nobody-imports-the-notifier',
    comment: 'Whoever could import it could sign events, or be made to connect to the outside.',
    from: { path: '^(gateway|signer|shared|client|infra)/', pathNot: TESTS },
    to: { path: '^notifier/' },
  },
  {
    name: 'price-relay-stands-by-itself',
    comment:
      'It connects to whoever says prices: it has no code of gateway, party or operator, and none that touches key material.',
    from: { path: '^infra/prices/', pathNot: TESTS },
    to: {
      path: `^(gateway|signer|notifier|client|infra/(admin|dev)|shared/custody)/|${KEY_MATERIAL}`,
    },
  },
  {
    name: 'nobody-imports-the-price-relay',
    comment: 'Whoever could import it could sign prices.',
    from: { path: '^(gateway|signer|notifier|shared|client|infra/(admin|dev))/', pathNot: TESTS },
    to: { path: '^infra/prices/' },
  },
  {
    name: 'libsodium-has-two-doors',
    comment:
      'One verifies (core/ed25519.ts, for everybody); the other computes (custody/sodium.ts).',
    from: {
      pathNot: ['^shared/core/src/ed25519\\.ts$', '^shared/custody/src/sodium\\.ts$', TESTS],
    },
    to: { path: 'node_modules/sodium-native' },
  },
  {
    name: 'secrets-stay-in-their-threads',
    comment: 'What runs inside a thread that holds secrets is imported from there alone.',
    from: { path: '^signer/src/', pathNot: ['^signer/src/secrets/', TESTS] },
    to: { path: '^signer/src/secrets/' },
  },
  {
    name: 'signer-has-no-http',
    comment:
      'The port for metrics, off unless configured, is shared/runtime/src/metrics/metrics-server.ts.',
    from: { path: '^signer/src', pathNot: TESTS },
    to: {
      path: '^(node:)?(http|https|http2|net|dgram|express)$|node_modules/(express|fastify)/',
    },
  },
  {
    name: 'shared-imports-nobody',
    from: { path: '^shared/', pathNot: TESTS },
    to: { path: '^(gateway|signer|client|infra|test)/' },
  },
  {
    name: 'core-is-the-bottom',
    from: { path: '^shared/core/' },
    to: { path: '^shared/(?!core/)' },
  },
  {
    name: 'venues-chains-and-custody-stand-on-core',
    from: { path: '^shared/(venues|chains|custody)/' },
    to: { path: '^shared/(?!core/|$1/)' },
  },
  {
    name: 'api-is-a-contract',
    comment: 'Clients are built on it: it knows nothing of the state, and needs no chain library.',
    from: { path: '^shared/api/' },
    to: { path: '^shared/(?!core/|venues/|api/)' },
  },
  {
    name: 'vault-needs-no-runtime',
    comment:
      'State, policy, operations and fold are pure: no pools, no clocks, no processes, no keys.',
    from: { path: '^shared/vault/', pathNot: TESTS },
    to: { path: '^shared/(runtime|custody)/|node_modules/(pg|ioredis|bullmq|pino)/' },
  },
  {
    name: 'fold-reaches-no-catalogue',
    comment:
      'A venue table or a list of networks is known better in the next release: what it says is checked ' +
      'before an entry is appended and when something is signed, and never decides what an entry means.',
    from: { path: '^shared/vault/src/(ledger|state)/', pathNot: TESTS },
    to: {
      path: '^shared/(venues/src/(?!engine/)|chains/src/network-catalogue\\.ts$)',
      reachable: true,
    },
  },
  {
    name: 'fold-reaches-no-package',
    comment:
      'What an entry means is decided by code of this repository, which no upgrade of a package changes. ' +
      'Hashing, signature checks, their encodings and the maps of the state are reached by name (docs/decisions/0008).',
    from: { path: '^shared/vault/src/(ledger|state)/', pathNot: TESTS },
    to: {
      path: 'node_modules/(?!@noble/|@scure/base/|immutable/|sodium-native/)',
      reachable: true,
    },
  },
  {
    name: 'fold-reaches-nothing-published',
    comment:
      'What an entry means is decided by the shapes of requests and by conditions, with nothing of what is told: texts, examples, ' +
      'answers and their views, what a gateway asks before it appends, what is asked when something is signed, and how a fold is written down (docs/decisions/0008).',
    from: { path: '^shared/vault/src/(ledger|state)/', pathNot: TESTS },
    to: {
      path: [
        '^shared/api/src/(?!(requests|conditions)/|(policy-requests|query-string|validate)\\.ts$)',
        '^shared/vault/src/(views|checks|snapshots)/',
        '^shared/vault/src/operations/(answers|check-request|key-target|key-work)\\.ts$',
        '^shared/vault/src/policy/(released-approvals|allowing-rules)\\.ts$',
        '^shared/api/src/conditions/compared-conditions\\.ts$',
        '^shared/core/src/(evidence-key|private-file|written-json|decimal-arithmetic|key-birth)\\.ts$',
        '^shared/venues/src/engine/venue\\.ts$',
      ],
      reachable: true,
    },
  },
  {
    name: 'runtime-has-no-custody-code',
    from: { path: '^shared/runtime/' },
    to: { path: '^shared/custody/' },
  },
  {
    name: 'client-stands-alone',
    comment: 'What runs at a desk shares the contract with the vault and nothing else.',
    from: { path: '^client/', pathNot: TESTS },
    to: { path: '^(gateway|signer|infra)/|^shared/(vault|chains|runtime)/' },
  },
  {
    name: 'vault-never-imports-client',
    comment: 'The client splits whole secrets: no process of the vault may have that code.',
    from: { path: '^(gateway|signer|shared)/', pathNot: TESTS },
    to: { path: '^client/' },
  },
  {
    name: 'console-stands-on-the-client',
    comment:
      'What runs in a browser shares the contract and the client with the vault, the tables of venues, the readers of transactions, and of the vault itself the check of rules alone.',
    from: { path: '^console/', pathNot: TESTS },
    to: {
      path: '^(gateway|signer|notifier|infra|test)/|^shared/(vault|runtime|custody)/',
      pathNot: '^shared/vault/src/operations/lint-rules[.]ts$',
    },
  },
  {
    name: 'console-has-no-node',
    comment:
      'A browser has no module of Node: what shared code takes from it is in console/src/platform/.',
    from: { path: '^console/src/', pathNot: TESTS },
    to: { kinds: ['core'] },
  },
  {
    name: 'nobody-imports-the-console',
    from: { path: '^(gateway|signer|notifier|shared|client|infra)/', pathNot: TESTS },
    to: { path: '^console/' },
  },
  {
    name: 'nobody-imports-infra',
    comment: 'Migrations and developer tools are not part of what a gateway or a party runs.',
    from: { path: '^(gateway|signer|shared|client)/', pathNot: TESTS },
    to: { path: '^infra/' },
  },
  {
    name: 'nobody-imports-the-workshop',
    comment: 'What measures and checks the product is no part of it.',
    from: {
      path: '^(gateway|signer|notifier|shared|client|console|infra)/',
      pathNot: TESTS,
    },
    to: { path: '^workshop/' },
  },
  {
    name: 'operated-needs-no-developer-tool',
    comment: 'The countersign command, migrations and genesis run in production.',
    from: { path: '^infra/admin/' },
    to: { path: '^infra/dev/' },
  },
  {
    name: 'infra-starts-programs-and-imports-none',
    from: { path: '^(infra|workshop)/', pathNot: TESTS },
    to: { path: '^(gateway|signer)/' },
  },
  {
    name: 'simulators-prove-something',
    comment: 'A simulated venue that shared code with what signs would share its mistakes.',
    from: { path: '^workshop/src/lab/(exchange|venues)/', pathNot: TESTS },
    to: {
      pathNot: '^workshop/src/lab/(exchange|venues)/',
      kinds: ['local', 'declared', 'development', 'undeclared'],
    },
  },
  {
    name: 'forge-never-in-production',
    comment: 'node-forge accepts forged RSA and Ed25519 signatures; it may only read key files.',
    from: { path: '^(gateway|signer|shared|infra|workshop)/' },
    to: { path: 'node_modules/node-forge' },
  },
  {
    name: 'no-undeclared-dependency',
    from: { pathNot: TESTS },
    to: { kinds: ['undeclared'] },
  },
  { name: 'no-circular', from: {}, to: { circular: true } },
  {
    name: 'production-never-imports-tests',
    from: { pathNot: TESTS },
    to: { path: TESTS },
  },
  {
    name: 'not-to-dev-dep',
    from: { pathNot: [TESTS, '^signer/bench/', '^console/vite\\.config\\.ts$'] },
    to: { kinds: ['development'] },
  },
];

/** Plants a bad import for each import rule, in a tree of its own, and expects the check to find them. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { IMPORT_RULES } from '../../workshop/src/check/import-rules.js';

const CHECK = resolve('workshop/dist/check/boundaries.js');
const { workspaces: WORKSPACES } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  workspaces: readonly string[];
};

const trees: string[] = [];
afterAll(() => trees.forEach((tree) => rmSync(tree, { recursive: true, force: true })));

/** The workspaces' manifests with nothing in them but what is planted: text by path. */
function plantTree(files: Readonly<Record<string, string>>): string {
  const tree = mkdtempSync(join(tmpdir(), 'countersign-boundaries-'));
  trees.push(tree);
  symlinkSync(resolve('node_modules'), join(tree, 'node_modules'));
  cpSync('package.json', join(tree, 'package.json'));
  mkdirSync(join(tree, 'test'));
  for (const workspace of WORKSPACES) {
    mkdirSync(join(tree, workspace, 'src'), { recursive: true });
    cpSync(`${workspace}/package.json`, join(tree, workspace, 'package.json'));
    writeFileSync(join(tree, workspace, 'src/b.ts'), EMPTY);
  }
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(tree, path)), { recursive: true });
    writeFileSync(join(tree, path), text);
  }
  return tree;
}

const EMPTY = 'export const b = 1;';

function check(tree: string): { status: number | null; output: string } {
  const result = spawnSync(process.execPath, [CHECK], { cwd: tree, encoding: 'utf8' });
  return { status: result.status, output: result.stdout + result.stderr };
}

/** Every workspace has a file `src/b.ts` to be imported. */
const PLANTS: readonly (readonly [rule: string, file: string, text: string])[] = [
  ['gateway-never-imports-signer', 'gateway/src/a1.ts', "import '../../signer/src/b.js';"],
  ['signer-never-imports-gateway', 'signer/src/a2.ts', "import '../../gateway/src/b.js';"],
  ['gateway-has-no-key-material-code', 'gateway/src/a3.ts', "import '@noble/curves/ed25519.js';"],
  ['gateway-has-no-key-material-code', 'gateway/src/a4.ts', "import 'sodium-native';"],
  [
    'gateway-cannot-reach-custody-code',
    'gateway/src/a5.ts',
    "import '../../shared/custody/src/b.js';",
  ],
  ['libsodium-has-two-doors', 'shared/core/src/a6.ts', "import 'sodium-native';"],
  ['secrets-stay-in-their-threads', 'signer/src/signing/a7.ts', "import '../secrets/b.js';"],
  ['signer-has-no-http', 'signer/src/a8.ts', "import 'node:http';"],
  ['notifier-stands-by-itself', 'notifier/src/a40.ts', "import '../../gateway/src/b.js';"],
  ['notifier-stands-by-itself', 'notifier/src/a41.ts', "import '../../shared/custody/src/b.js';"],
  ['nobody-imports-the-notifier', 'gateway/src/a42.ts', "import '../../notifier/src/b.js';"],
  ['price-relay-stands-by-itself', 'infra/prices/src/a43.ts', "import '../../admin/src/b.js';"],
  ['price-relay-stands-by-itself', 'infra/prices/src/a44.ts', "import 'sodium-native';"],
  ['nobody-imports-the-price-relay', 'infra/dev/src/a45.ts', "import '../../prices/src/b.js';"],
  ['shared-imports-nobody', 'shared/core/src/a9.ts', "import '../../../gateway/src/b.js';"],
  ['shared-imports-nobody', 'shared/vault/src/a10.ts', "import '../../../client/src/b.js';"],
  ['core-is-the-bottom', 'shared/core/src/a11.ts', "import '../../venues/src/b.js';"],
  [
    'venues-chains-and-custody-stand-on-core',
    'shared/venues/src/a12.ts',
    "import '../../chains/src/b.js';",
  ],
  [
    'venues-chains-and-custody-stand-on-core',
    'shared/chains/src/a13.ts',
    "import '../../vault/src/b.js';",
  ],
  ['api-is-a-contract', 'shared/api/src/a14.ts', "import '../../vault/src/b.js';"],
  ['api-is-a-contract', 'shared/api/src/a15.ts', "import '../../chains/src/b.js';"],
  ['vault-needs-no-runtime', 'shared/vault/src/a16.ts', "import '../../runtime/src/b.js';"],
  ['vault-needs-no-runtime', 'shared/vault/src/a17.ts', "import 'pg';"],
  [
    'fold-reaches-no-catalogue',
    'shared/vault/src/ledger/a35.ts',
    "import '../../../venues/src/b.js';",
  ],
  [
    'fold-reaches-no-catalogue',
    'shared/vault/src/state/a36.ts',
    "import '../../../chains/src/network-catalogue.js';",
  ],
  ['fold-reaches-no-package', 'shared/vault/src/ledger/a53.ts', "import 'zod';"],
  [
    'fold-reaches-nothing-published',
    'shared/vault/src/ledger/a54.ts',
    "import '../../../api/src/b.js';",
  ],
  ['runtime-has-no-custody-code', 'shared/runtime/src/a18.ts', "import '../../custody/src/b.js';"],
  ['client-stands-alone', 'client/src/a19.ts', "import '../../gateway/src/b.js';"],
  ['client-stands-alone', 'client/src/a20.ts', "import '../../signer/src/b.js';"],
  ['client-stands-alone', 'client/src/a21.ts', "import '../../infra/dev/src/b.js';"],
  ['client-stands-alone', 'client/src/a22.ts', "import '../../shared/chains/src/b.js';"],
  ['client-stands-alone', 'client/src/a23.ts', "import '../../shared/vault/src/b.js';"],
  ['vault-never-imports-client', 'gateway/src/a24.ts', "import '../../client/src/b.js';"],
  ['vault-never-imports-client', 'signer/src/a25.ts', "import '../../client/src/b.js';"],
  ['console-stands-on-the-client', 'console/src/a50.ts', "import '../../shared/vault/src/b.js';"],
  ['console-has-no-node', 'console/src/a51.ts', "import 'node:crypto';"],
  ['nobody-imports-the-console', 'gateway/src/a52.ts', "import '../../console/src/b.js';"],
  ['nobody-imports-infra', 'gateway/src/a26.ts', "import '../../infra/admin/src/b.js';"],
  ['nobody-imports-infra', 'client/src/a27.ts', "import '../../infra/dev/src/b.js';"],
  ['nobody-imports-the-workshop', 'infra/dev/src/a46.ts', "import '../../../workshop/src/b.js';"],
  ['operated-needs-no-developer-tool', 'infra/admin/src/a28.ts', "import '../../dev/src/b.js';"],
  [
    'infra-starts-programs-and-imports-none',
    'infra/dev/src/a29.ts',
    "import '../../../signer/src/b.js';",
  ],
  [
    'simulators-prove-something',
    'workshop/src/lab/venues/a43.ts',
    "import '../../../../shared/venues/src/b.js';",
  ],
  ['forge-never-in-production', 'signer/src/a30.ts', "import 'node-forge';"],
  ['no-undeclared-dependency', 'gateway/src/a31.ts', "import 'piscina';"],
  ['no-undeclared-dependency', 'client/src/a37.ts', "import '@countersign/runtime/logger.js';"],
  [
    'no-undeclared-dependency',
    'gateway/src/a38.ts',
    "export type { A } from 'nowhere-to-be-found';",
  ],
  ['production-never-imports-tests', 'shared/core/src/a32.ts', "import './c.test.js';"],
  ['not-to-dev-dep', 'gateway/src/a33.ts', "import 'fast-check';"],
  ['no-circular', 'shared/core/src/a34.ts', "import './circle.js';"],
];

/** What the plants lean on. */
const BESIDE = {
  'signer/src/secrets/b.ts': EMPTY,
  'shared/core/src/c.test.ts': EMPTY,
  'shared/core/src/circle.ts': "import './a34.js';",
  'shared/core/src/way-round.ts': "import '../../custody/src/b.js';",
  'gateway/src/way-round.ts': "import '../../shared/core/src/way-round.js';",
  'shared/chains/src/network-catalogue.ts': EMPTY,
  'shared/vault/src/operations/way-round.ts': "import '../../../chains/src/network-catalogue.js';",
  'shared/vault/src/ledger/way-round.ts': "import '../operations/way-round.js';",
  'signer/src/in/a.ts': "import './deeper/b.js';",
  'signer/src/in/d.ts': EMPTY,
  'signer/src/in/deeper/b.ts': EMPTY,
  'signer/src/in/deeper/c.ts': "import '../d.js';",
  // only a development dependency, as the manifest below says
  'gateway/package.json': JSON.stringify({
    ...(JSON.parse(readFileSync('gateway/package.json', 'utf8')) as object),
    devDependencies: { 'fast-check': '*' },
  }),
};

describe('import boundaries', () => {
  let found: ReturnType<typeof check>;
  beforeAll(() => {
    const planted = Object.fromEntries(PLANTS.map(([, file, text]) => [file, text]));
    found = check(plantTree({ ...BESIDE, ...planted }));
  }, 60_000);

  it('good imports pass: inside a workspace, down to a shared one, from tests to anywhere', () => {
    const tree = plantTree({
      'gateway/src/a.ts': "import './b.js';\nimport '../../shared/vault/src/b.js';",
      'client/src/a.ts': "import '../../shared/api/src/b.js';\nimport 'node-forge';",
      'shared/vault/src/ledger/a.ts': "import '../../../venues/src/engine/b.js';",
      'shared/venues/src/engine/b.ts': EMPTY,
      'shared/venues/src/a.ts': "import './engine/b.js';",
      'signer/src/one/a.ts': "import '../two/b.js';",
      'signer/src/two/b.ts': EMPTY,
      'signer/src/two/b.test.ts': "import '../one/a.js';",
    });
    expect(check(tree)).toMatchObject({ status: 0 });
  }, 60_000);

  it('every rule has a bad import planted for it', () => {
    const planted = new Set(PLANTS.map(([rule]) => rule));
    expect(planted).toEqual(new Set(IMPORT_RULES.map(({ name }) => name)));
  });

  it('a tree with bad imports fails', () => {
    expect(found.status).toBe(1);
  });

  it.each(PLANTS)('%s fires: %s, %s', (rule, file) => {
    expect(found.output).toContain(`${rule}: ${file} -> `);
  });

  it('custody code is out of reach of the gateway by way of a shared workspace, too', () => {
    expect(found.output).toContain('gateway-cannot-reach-custody-code: gateway/src/way-round.ts');
  });

  it('a catalogue is out of reach of the fold by way of an operation, too', () => {
    expect(found.output).toContain(
      'fold-reaches-no-catalogue: shared/vault/src/ledger/way-round.ts',
    );
  });

  it('two folders that import each other are found', () => {
    expect(found.output).toContain('no-folder-cycle: signer/src/in <-> signer/src/in/deeper');
  });
});

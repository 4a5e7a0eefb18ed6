import { describe, expect, test } from '@jest/globals';
import { planRelease, type ReleaseFacts } from './plan-release.js';

const CHANGELOG = `# Changelog

## Unreleased

### Added

- Something new.

## 0.1.0 (2026-10-01)

- The beginning.
`;

const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;

function factsWith(fields: Partial<ReleaseFacts> = {}): ReleaseFacts {
  return {
    version: '0.2.0',
    today: '2026-11-22',
    branch: 'main',
    dirty: [],
    tags: ['v0.1.0'],
    manifest: json({
      name: 'countersign',
      version: '0.1.0',
      workspaces: ['shared/core', 'gateway'],
      devDependencies: { jest: '30.5.2' },
    }),
    workspaces: new Map([
      ['shared/core', json({ name: '@countersign/core', version: '0.1.0' })],
      [
        'gateway',
        json({
          name: '@countersign/gateway',
          version: '0.1.0',
          dependencies: { '@countersign/core': '0.1.0', express: '0.1.0' },
        }),
      ],
    ]),
    lock: json({
      name: 'countersign',
      version: '0.1.0',
      packages: {
        '': { version: '0.1.0', devDependencies: { jest: '30.5.2' } },
        'shared/core': { name: '@countersign/core', version: '0.1.0' },
        gateway: { version: '0.1.0', dependencies: { '@countersign/core': '0.1.0' } },
        'node_modules/express': { version: '0.1.0', dependencies: { qs: '0.1.0' } },
      },
    }),
    changelog: CHANGELOG,
    description: { path: 'docs/specs/v0.3/openapi.json', text: '{"openapi":"3.1.0"}\n' },
    ...fields,
  };
}

function writesOf(fields: Partial<ReleaseFacts> = {}): ReadonlyMap<string, string> {
  const plan = planRelease(factsWith(fields));
  if ('faults' in plan) throw new Error(plan.faults.join('; '));
  return plan.writes;
}

function faultsOf(fields: Partial<ReleaseFacts>): string[] {
  const plan = planRelease(factsWith(fields));
  return 'faults' in plan ? plan.faults : [];
}

describe('a release', () => {
  test('is a commit and a tag of its version', () => {
    expect(planRelease(factsWith())).toMatchObject({ message: 'release: v0.2.0', tag: 'v0.2.0' });
  });

  test('raises every manifest, and what the workspaces are to each other, and nothing else', () => {
    const writes = writesOf();
    const read = (path: string) => JSON.parse(writes.get(path)!) as unknown;
    expect(read('package.json')).toMatchObject({
      version: '0.2.0',
      devDependencies: { jest: '30.5.2' },
    });
    expect(read('shared/core/package.json')).toMatchObject({ version: '0.2.0' });
    expect(read('gateway/package.json')).toEqual({
      name: '@countersign/gateway',
      version: '0.2.0',
      dependencies: { '@countersign/core': '0.2.0', express: '0.1.0' },
    });
    expect(read('package-lock.json')).toEqual({
      name: 'countersign',
      version: '0.2.0',
      packages: {
        '': { version: '0.2.0', devDependencies: { jest: '30.5.2' } },
        'shared/core': { name: '@countersign/core', version: '0.2.0' },
        gateway: { version: '0.2.0', dependencies: { '@countersign/core': '0.2.0' } },
        'node_modules/express': { version: '0.1.0', dependencies: { qs: '0.1.0' } },
      },
    });
  });

  test('gives what was unreleased its version and date, and leaves room for what comes next', () => {
    expect(writesOf().get('CHANGELOG.md')).toBe(
      CHANGELOG.replace('## Unreleased\n', '## Unreleased\n\n## 0.2.0 (2026-11-22)\n'),
    );
  });

  test('gives a section of the version its date, behind what is newer', () => {
    const changelog = CHANGELOG.replace('0.1.0 (2026-10-01)', '0.1.0');
    const facts = { version: '0.1.0', tags: [], changelog };
    expect(writesOf(facts).get('CHANGELOG.md')).toBe(`# Changelog

## Unreleased

## 0.1.0 (2026-11-22)

### Added

- Something new.

- The beginning.
`);
    const nothingNewer = changelog.replace('### Added\n\n- Something new.\n\n', '');
    expect(faultsOf({ ...facts, changelog: nothingNewer })).toEqual([]);
  });

  test('writes the API description, and no path beyond those it names', () => {
    const writes = writesOf();
    expect(writes.get('docs/specs/v0.3/openapi.json')).toBe('{"openapi":"3.1.0"}\n');
    expect([...writes.keys()].toSorted()).toEqual([
      'CHANGELOG.md',
      'docs/specs/v0.3/openapi.json',
      'gateway/package.json',
      'package-lock.json',
      'package.json',
      'shared/core/package.json',
    ]);
  });

  test('may be the version at which everything stands, as long as it has no tag', () => {
    expect(faultsOf({ version: '0.1.0', tags: [] })).toEqual([]);
  });
});

describe('no release is made', () => {
  test.each<[string, Partial<ReleaseFacts>, RegExp]>([
    ['away from the main branch', { branch: 'work' }, /on main.*"work"/],
    ['of a detached head', { branch: '' }, /on main/],
    ['with something not committed', { dirty: ['gateway/src/main.ts'] }, /gateway\/src\/main.ts/],
    ['twice', { tags: ['v0.2.0'] }, /v0\.2\.0 is there/],
    ['of an older version', { version: '0.0.9' }, /at 0\.1\.0 already/],
    ['with nothing to tell', { changelog: '# Changelog\n\n## Unreleased\n' }, /lists nothing/],
    [
      'with headings alone',
      { changelog: '# Changelog\n\n## Unreleased\n\n### Added\n\n## 0.1.0\n\n- x\n' },
      /lists nothing/,
    ],
    ['without a place for what is unreleased', { changelog: '# Changelog\n' }, /lists nothing/],
  ])('%s', (_what, fields, fault) => {
    expect(faultsOf(fields)).toEqual([expect.stringMatching(fault)]);
  });

  test.each(['v0.2.0', '0.2', '0.2.0-rc.1', '00.2.0', '0.2.0 ', '0.2.0\n', 'x'])(
    'of %j, which is no version',
    (version) => {
      expect(faultsOf({ version })).toEqual([expect.stringMatching(/is no version/)]);
    },
  );

  test('and all that stands against it is told at once', () => {
    expect(faultsOf({ branch: 'work', dirty: ['a'], changelog: '' })).toHaveLength(3);
  });
});

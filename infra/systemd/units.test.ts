/** The units and their example environments: what systemd says of them, and what the processes would. */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { gatewayVariables } from '../../shared/runtime/src/settings/gateway-config.ts';
import { notifierVariables } from '../../shared/runtime/src/settings/notifier-config.ts';
import { signerVariables } from '../../shared/runtime/src/settings/signer-config.ts';
import { openFileKek } from '../../signer/src/secrets/kek/file-kek.ts';
import { findProgram, runWhere } from '../../test/support/run-where.ts';
import { PROCESS_VARIABLES } from '../admin/src/doctor/process-variables.ts';
import { relayVariables } from '../../shared/runtime/src/settings/relay-config.ts';

const FOLDER = import.meta.dirname;
const ROOT = join(FOLDER, '../..');
/** Of 10; where this was written, systemd 252 says 1.3 of each. */
const MOST_EXPOSED = 2.5;

/** Its unit, and what it reads. */
const PROCESSES = {
  gateway: { unit: 'countersign-gateway', variables: gatewayVariables.shape },
  party: { unit: 'countersign-party@', variables: signerVariables.shape },
  notifier: { unit: 'countersign-notifier', variables: notifierVariables.shape },
  prices: { unit: 'countersign-prices', variables: relayVariables.shape },
  migrate: { unit: 'countersign-migrate', variables: PROCESS_VARIABLES.migrate },
};
interface Variable {
  safeParse(given: unknown): { readonly success: boolean; readonly data?: unknown };
}
const NAMES = Object.keys(PROCESSES) as (keyof typeof PROCESSES)[];
const UNITS = readdirSync(FOLDER).filter((name) => name.endsWith('.service'));

const textOf = (name: string) => readFileSync(join(FOLDER, name), 'utf8');
const unitTextOf = (name: keyof typeof PROCESSES) => textOf(`${PROCESSES[name].unit}.service`);

/** What a unit says under a name, as often as it says it; as party 1 where it is a template. */
const saysOf = (name: keyof typeof PROCESSES, setting: string) =>
  [...unitTextOf(name).matchAll(new RegExp(`^${setting}=(.*)$`, 'gm'))].map(([, value]) =>
    value!.replaceAll('%i', '1'),
  );

/** Lines that count, and lines that show something behind a `#`. */
function examplesOf(name: string) {
  const read = (lines: RegExp) =>
    Object.fromEntries(
      [...textOf(`${name}.env.example`).matchAll(lines)].map(([, key, value]) => [key!, value!]),
    );
  return { set: read(/^([A-Z_]+)=(.*)$/gm), shown: read(/^# ([A-Z_]+)=(.*)$/gm) };
}

describe('the example environment', () => {
  it.each(NAMES)('of %s has each variable that the process reads, and no other', (name) => {
    const { set, shown } = examplesOf(name);
    const variables = Object.keys(PROCESSES[name].variables);
    expect([...Object.keys(set), ...Object.keys(shown)].toSorted()).toEqual(variables.toSorted());
  });

  it.each(NAMES)('of %s is one that the process takes, with and without what is shown', (name) => {
    const { set, shown } = examplesOf(name);
    for (const [variable, schema] of Object.entries<Variable>(PROCESSES[name].variables)) {
      const [plain, example] = [schema.safeParse(set[variable]), set[variable] ?? shown[variable]];
      expect([variable, plain.success]).toEqual([variable, true]);
      expect([variable, schema.safeParse(example).success]).toEqual([variable, true]);
      // what is shown of a variable with a default is the default
      if (plain.data !== undefined) expect(schema.safeParse(example).data).toBe(plain.data);
    }
  });

  it.each(NAMES)('of %s has no file that the unit does not bring', (name) => {
    const { set } = examplesOf(name);
    const unit = PROCESSES[name].unit.replace(/@$/, '@1');
    const credentials = saysOf(name, 'LoadCredential(?:Encrypted)?').map(
      (text) => `/run/credentials/${unit}.service/${text.split(':')[0]!}`,
    );
    const states = saysOf(name, 'StateDirectory').map((folder) => `/var/lib/${folder}/pin.json`);
    const given = Object.values(set).filter((value) => /^\/(run|var)\//.test(value));
    const folder = set['KEY_DIR'];
    const sealed = ['identity.sealed', 'exchange.sealed'].map((file) => `${folder}/${file}`);
    const wanted = given.flatMap((path) => (path === folder ? sealed : [path]));
    expect(wanted.toSorted()).toEqual([...credentials, ...states].toSorted());
  });

  it.each(NAMES)('of %s lies where the unit looks for it', (name) => {
    const [file] = saysOf(name, 'EnvironmentFile');
    expect(textOf(`${name}.env.example`)).toMatch(new RegExp(`^# ${file}, mode 0600`));
  });
});

/** In the source: how long a stop may take, ms. */
function stopMs(path: string, constant: string): number {
  const [, digits] = new RegExp(`^const ${constant} = ([\\d_]+);$`, 'm').exec(
    readFileSync(join(ROOT, path), 'utf8'),
  )!;
  return Number(digits!.replaceAll('_', ''));
}

const STOPS = {
  gateway:
    stopMs('gateway/src/main.ts', 'STOP_STEPS_MS') +
    1_000 * gatewayVariables.shape.DRAIN_S.parse(undefined) +
    gatewayVariables.shape.SHUTDOWN_MS.parse(undefined),
  party: stopMs('signer/src/main.ts', 'STOP_WITHIN_MS'),
  notifier: stopMs('notifier/src/main.ts', 'STOP_WITHIN_MS'),
  prices: stopMs('infra/prices/src/main.ts', 'STOP_WITHIN_MS'),
};

const hardening = (unit: string) =>
  /^# What the process may reach\n([^[]*)/m.exec(textOf(unit))![1]!;

describe('a unit', () => {
  it('is there for each process, and for nothing else', () => {
    const units = NAMES.map((name) => `${PROCESSES[name].unit}.service`);
    expect(UNITS.toSorted()).toEqual(units.toSorted());
  });

  it.each(Object.entries(STOPS))('gives %s the time that its stop takes', (name, takesMs) => {
    const [stop] = saysOf(name as keyof typeof STOPS, 'TimeoutStopSec');
    expect(Number(/^(\d+)s$/.exec(stop!)![1]) * 1_000).toBe(takesMs + 5_000);
  });

  it.each(UNITS)('%s is hardened as all are', (unit) => {
    expect(hardening(unit).trim()).toBe(hardening(UNITS[0]!).trim());
  });

  it('runs each party, and each other process, as a user of its own, whom sysusers knows', () => {
    const users = NAMES.flatMap((name) =>
      name === 'party'
        ? [1, 2, 3].map((party) => `countersign-party-${party}`)
        : saysOf(name, 'User'),
    );
    expect(saysOf('party', 'User')).toEqual(['countersign-party-1']);
    const known = [...textOf('countersign.sysusers.conf').matchAll(/^u (\S+)/gm)].map(
      ([, user]) => user!,
    );
    expect(known).toEqual(users);
    expect(new Set(known).size).toBe(known.length);
    for (const name of NAMES) expect(saysOf(name, 'Group')).toEqual(saysOf(name, 'User'));
  });

  it('starts the pinned Node and a program that is built', () => {
    for (const name of NAMES) {
      const [node, program] = saysOf(name, 'ExecStart')[0]!.split(' ');
      expect(node).toMatch(/^\/opt\/countersign\/node_modules\/\.bin\/node$/);
      expect(program).toMatch(/^\/opt\/countersign\/.*\/(bundle\/main|dist\/countersign)\.js$/);
    }
  });
});

function hasSystemd(): boolean {
  try {
    return execFileSync('systemd-analyze', ['--version'], { encoding: 'utf8' }).includes('systemd');
  } catch {
    return false;
  }
}
const describeSystemd = runWhere(describe, hasSystemd(), 'systemd-analyze is not on this machine');

const CAN_SEAL = findProgram('systemd-creds') && process.getuid?.() === 0;
runWhere(
  describe,
  CAN_SEAL,
  'systemd-creds, as root',
)('a KEK that is sealed to its host', () => {
  let folder: string;
  const pathOf = (name: string) => join(folder, name);
  const creds = (...args: string[]) => execFileSync('systemd-creds', args, { stdio: 'pipe' });
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'countersign-creds-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('opens under the name that the unit asks for, and under no other', () => {
    const [credential] = saysOf('party', 'LoadCredentialEncrypted');
    const name = credential!.split(':')[0]!;
    writeFileSync(pathOf('kek'), randomBytes(32), { mode: 0o600 });
    creds('encrypt', '--with-key=host', `--name=${name}`, pathOf('kek'), pathOf('sealed'));
    expect(readFileSync(pathOf('sealed')).includes(readFileSync(pathOf('kek')))).toBe(false);
    creds('decrypt', `--name=${name}`, pathOf('sealed'), pathOf('opened'));
    chmodSync(pathOf('opened'), 0o400);
    expect(openFileKek(pathOf('opened')).id).toBe(openFileKek(pathOf('kek')).id);
    expect(() => creds('decrypt', '--name=another', pathOf('sealed'), '-')).toThrow();
  });
});

describeSystemd('what systemd says', () => {
  let folder: string;
  const pathOf = (unit: string) => join(folder, unit.replace('@.', '@1.'));

  /** As they would be installed, but with programs that are here. */
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'countersign-units-'));
    for (const unit of UNITS) {
      const text = textOf(unit).replaceAll(
        /\/opt\/countersign\/\S+\/node /g,
        `${process.execPath} `,
      );
      writeFileSync(pathOf(unit), text);
    }
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each(UNITS)('of %s is no complaint', (unit) => {
    const all = analyze(['verify', '--man=no', pathOf(unit)]);
    // what it says of other units of this machine is not about ours
    expect(all.split('\n').filter((line) => line.includes('countersign'))).toEqual([]);
  });

  it.each(UNITS)('of the exposure of %s', (unit) => {
    const told = analyze(['security', '--offline=true', '--no-pager', pathOf(unit)]);
    const [, exposure] = /Overall exposure level for .*: (\d+\.\d)/.exec(told)!;
    expect(Number(exposure)).toBeLessThanOrEqual(MOST_EXPOSED);
  });

  it('is a complaint where there is something to complain of', () => {
    const path = join(folder, 'countersign-wrong.service');
    writeFileSync(path, textOf(UNITS[0]!).replace('ProtectClock=', 'ProtectClocks='));
    expect(analyze(['verify', '--man=no', path])).toContain('ProtectClocks');
  });
});

/** Everything that it prints. */
function analyze(args: readonly string[]): string {
  const line = `systemd-analyze ${args.map((arg) => `'${arg}'`).join(' ')} 2>&1; true`;
  return execFileSync('sh', ['-c', line], { encoding: 'utf8', cwd: tmpdir(), timeout: 60_000 });
}

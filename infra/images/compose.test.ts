/** docker-compose.yml: what its processes are told, and that each has no more than it needs. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { gatewayVariables } from '@countersign/runtime/settings/gateway-config.js';
import { notifierVariables } from '@countersign/runtime/settings/notifier-config.js';
import { signerVariables } from '@countersign/runtime/settings/signer-config.js';
import { PROCESS_VARIABLES } from '../admin/src/doctor/process-variables.ts';
import { relayVariables } from '@countersign/runtime/settings/relay-config.js';
import { expectTaken } from '../../test/support/taken-variables.ts';

const ROOT = join(import.meta.dirname, '../..');

interface Service {
  readonly image: string;
  readonly command?: readonly string[];
  readonly environment: Readonly<Record<string, string | number>>;
  readonly volumes?: readonly string[];
  readonly stop_grace_period?: string;
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly networks: readonly string[];
  readonly ports?: readonly string[];
}
const { services } = parse(readFileSync(join(ROOT, 'docker-compose.yml'), 'utf8'), {
  merge: true,
}) as { services: Record<string, Service> };

const OURS = {
  gateway_a: gatewayVariables.shape,
  gateway_b: gatewayVariables.shape,
  party_1: signerVariables.shape,
  party_2: signerVariables.shape,
  party_3: signerVariables.shape,
  notifier: notifierVariables.shape,
  prices: relayVariables.shape,
  migrate: PROCESS_VARIABLES.migrate,
};
const NAMES = Object.keys(OURS) as (keyof typeof OURS)[];
const LASTING = NAMES.filter((name) => name !== 'migrate');

/** Without what an operator fills in. */
const given = (name: string) =>
  Object.fromEntries(
    Object.entries(services[name]!.environment).map(([key, value]) => [
      key,
      String(value).replaceAll(/\$\{\w+:\?\}/g, 'password'),
    ]),
  );
const source = (volume: string) => volume.split(':')[0]!;
const target = (volume: string) => volume.split(':')[1]!;

describe('a process of docker-compose.yml', () => {
  it('is there for every process of a vault', () => {
    const images = Object.entries(services).filter(([, { image }]) =>
      image.includes('countersign'),
    );
    expect(images.map(([name]) => name).toSorted()).toEqual(NAMES.toSorted());
  });

  it.each(NAMES)('%s is told what it reads, and nothing else', (name) => {
    expectTaken(OURS[name], given(name));
  });

  it.each(NAMES)('%s finds each file where it is told to look', (name) => {
    const targets = (services[name]!.volumes ?? []).map(target);
    const paths = Object.values(given(name)).filter((value) => value.startsWith('/'));
    const isThere = (path: string) =>
      targets.some((folder) => path === folder || path.startsWith(`${folder}/`));
    expect(paths.filter((path) => !isThere(path))).toEqual([]);
    // and there is nothing that it is not told of
    const isUsed = (folder: string) =>
      paths.some((path) => path === folder || path.startsWith(`${folder}/`));
    expect(targets.filter((folder) => !isUsed(folder))).toEqual([]);
  });

  it.each(NAMES)('%s may do nothing that it need not', (name) => {
    const { read_only, cap_drop, security_opt } = services[name]!;
    expect({ read_only, cap_drop, security_opt }).toEqual({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
    });
  });

  it.each(LASTING)('%s is given the time to stop that its unit gives it', (name) => {
    const unit = name.replace(/_[ab]$/, '').replace(/_[123]$/, '@');
    const text = readFileSync(join(ROOT, `infra/systemd/countersign-${unit}.service`), 'utf8');
    const [, stop] = /^TimeoutStopSec=(\d+s)$/m.exec(text)!;
    expect(services[name]!.stop_grace_period).toBe(stop);
  });

  it('has a folder for pins, and as a party a folder of keys, that no other has', () => {
    const own = LASTING.flatMap((name) =>
      services[name]!.volumes!.map(source).filter(
        (path) => !['./vault/public', './vault/evidence.key'].includes(path),
      ),
    );
    expect(new Set(own).size).toBe(own.length);
    for (const party of [1, 2, 3]) {
      expect(services[`party_${party}`]!.volumes!.map(source)).toEqual(
        expect.arrayContaining([
          `./vault/party-${party}`,
          `./vault/kek-${party}`,
          `party_${party}`,
        ]),
      );
      expect(given(`party_${party}`)['DATABASE_URL']).toContain(`countersign_party_${party}:`);
      expect(given(`party_${party}`)['PARTY']).toBe(String(party));
    }
  });

  it('of a party reaches the stores alone, and nothing is open but on loopback', () => {
    for (const party of [1, 2, 3]) expect(services[`party_${party}`]!.networks).toEqual(['inside']);
    const ports = Object.values(services).flatMap((service) => service.ports ?? []);
    expect(ports.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([]);
    expect(ports).toHaveLength(2);
  });
});

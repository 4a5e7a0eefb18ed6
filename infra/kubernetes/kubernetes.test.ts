/** The manifests, as `kubectl kustomize` puts them together: what each process is told, and that nothing names what is not there. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parseAllDocuments } from 'yaml';
import { gatewayVariables } from '@countersign/runtime/settings/gateway-config.js';
import { signerVariables } from '@countersign/runtime/settings/signer-config.js';
import { findProgram, runWhere } from '../../test/support/run-where.ts';
import { expectTaken } from '../../test/support/taken-variables.ts';

interface Container {
  readonly name: string;
  readonly image: string;
  readonly args?: readonly unknown[];
  readonly env?: readonly { name: string; value?: string }[];
  readonly envFrom?: readonly { configMapRef?: { name: string }; secretRef?: { name: string } }[];
  readonly ports?: readonly { name: string; containerPort: number }[];
  readonly securityContext: object;
  readonly volumeMounts: readonly { name: string; mountPath: string }[];
  readonly [probe: `${string}Probe`]: { httpGet: { path: string; port: string } } | undefined;
}
interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly data?: Readonly<Record<string, string>>;
  readonly spec: {
    readonly selector: { readonly matchLabels: Readonly<Record<string, string>> };
    readonly scaleTargetRef?: { readonly name: string };
    readonly triggers?: readonly { type: string; metadata: { query: string } }[];
    readonly maxUnavailable?: number;
    readonly podSelector?: { readonly matchLabels: Readonly<Record<string, string>> };
    readonly policyTypes?: readonly string[];
    readonly egress?: readonly {
      readonly to?: readonly { ipBlock: { cidr: string } }[];
      readonly ports: readonly { port: number }[];
    }[];
    readonly volumeClaimTemplates?: readonly { metadata: { name: string } }[];
    readonly template: {
      readonly metadata: { readonly labels: Readonly<Record<string, string>> };
      readonly spec: {
        readonly containers: readonly Container[];
        readonly initContainers: readonly Container[];
        readonly volumes: readonly { name: string }[];
        readonly securityContext: { runAsNonRoot: boolean; runAsUser: number };
        readonly terminationGracePeriodSeconds: number;
        readonly automountServiceAccountToken: boolean;
      };
    };
  };
}

/** Whoever runs them gives these by a secret of their own. */
const GIVEN = {
  DATABASE_URL: 'postgres://login:password@db/countersign',
  REDIS_URL: 'rediss://login:password@redis:6379',
};
const SECONDS_TO_STOP = { gateway: 25, party: 15 };
const VARIABLES = { gateway: gatewayVariables.shape, party: signerVariables.shape };
const NAMES = ['gateway', 'party'] as const;
const PROBED = {
  gateway: ['/health/live', '/health/live', '/health/ready'],
  party: ['/metrics', '/metrics', undefined],
};

function manifestsOf(name: string): Manifest[] {
  return manifestsIn(join(import.meta.dirname, name));
}

function manifestsIn(folder: string): Manifest[] {
  const text = execFileSync('kubectl', ['kustomize', folder], { encoding: 'utf8' });
  return parseAllDocuments(text).map((document) => document.toJSON() as Manifest);
}

const workloadsOf = (manifests: readonly Manifest[]) =>
  manifests.filter(({ kind }) => kind === 'StatefulSet' || kind === 'Deployment');

const hasKubectl = findProgram('kubectl');

runWhere(
  describe,
  hasKubectl,
  'needs kubectl',
)('the manifests', () => {
  describe.each(NAMES)('of a %s', checkManifests);
  describe('of a party with the role of a cloud', checkCloudRole);
});

function checkManifests(name: (typeof NAMES)[number]): void {
  const manifests = hasKubectl ? manifestsOf(name) : [];
  const workloads = workloadsOf(manifests);
  const settings = manifests.find(({ kind }) => kind === 'ConfigMap')!;

  it('tell each process what it reads, and nothing else', () => {
    for (const { spec } of workloads) {
      const [{ env = [], envFrom }] = spec.template.spec.containers as [Container];
      // the name of the map ends with a hash of what is in it, so that a change restarts the pods
      expect(envFrom!.map((one) => one.configMapRef?.name ?? one.secretRef!.name)).toEqual([
        settings.metadata.name,
        `countersign-${name}`,
      ]);
      const own = env.map((one) => [one.name, one.value ?? 'a-pod-s-name'] as const);
      expectTaken(VARIABLES[name], { ...GIVEN, ...settings.data, ...Object.fromEntries(own) });
    }
  });

  it('give a pin file to the processes that keep one, on a disk of their own', () => {
    for (const { kind, spec } of workloads) {
      const [{ env = [], volumeMounts }] = spec.template.spec.containers as [Container];
      const pin = settings.data!['PIN_FILE'] ?? env.find((one) => one.name === 'PIN_FILE')?.value;
      expect(pin !== undefined).toBe(kind === 'StatefulSet');
      const disk = volumeMounts.find(({ mountPath }) => pin?.startsWith(`${mountPath}/`));
      const claims = spec.volumeClaimTemplates?.map(({ metadata }) => metadata.name) ?? [];
      expect(claims).toEqual(disk === undefined ? [] : [disk.name]);
    }
  });

  it('mount what is there, under ports and labels that are there', () => {
    for (const { spec } of workloads) {
      const { containers, initContainers, volumes } = spec.template.spec;
      const there = [
        ...volumes,
        ...(spec.volumeClaimTemplates ?? []).map(({ metadata }) => metadata),
      ];
      const mounted = [...containers, ...initContainers].flatMap((one) => one.volumeMounts);
      const names = new Set(there.map((one) => one.name));
      expect(mounted.filter((one) => !names.has(one.name))).toEqual([]);
      const [main] = containers as [Container];
      const ports = Object.fromEntries(main.ports!.map((one) => [one.name, one.containerPort]));
      expect(ports['metrics']).toBe(Number(settings.data!['METRICS_PORT']));
      if (name === 'gateway') expect(ports['http']).toBe(Number(settings.data!['PORT']));
      const probes = [main.startupProbe, main.livenessProbe, main.readinessProbe];
      const probed = probes.flatMap((probe) => (probe === undefined ? [] : [probe.httpGet.port]));
      expect(probed.length).toBeGreaterThanOrEqual(2);
      expect(probed.filter((port) => !(port in ports))).toEqual([]);
      expect(spec.template.metadata.labels).toMatchObject(spec.selector.matchLabels);
      expect(Object.keys(spec.selector.matchLabels)).not.toEqual([]);
    }
    const scaled = manifests.find(({ kind }) => kind === 'ScaledObject')?.spec.scaleTargetRef!.name;
    expect(scaled).toBe(name === 'party' ? 'party-replica' : undefined);
    const deployments = workloads.map(({ metadata }) => metadata.name);
    if (scaled !== undefined) expect(deployments).toContain(scaled);
    const budget = manifests.find(({ kind }) => kind === 'PodDisruptionBudget')!;
    const kept = workloads.find(({ kind }) => kind === 'StatefulSet')!;
    expect(kept.spec.selector.matchLabels).toMatchObject(budget.spec.selector.matchLabels);
  });

  it('ask what the process answers, and let no drain stop a party', () => {
    for (const { spec } of workloads) {
      const [main] = spec.template.spec.containers as [Container];
      const paths = [main.startupProbe, main.livenessProbe, main.readinessProbe].map(
        (probe) => probe?.httpGet.path,
      );
      expect(paths).toEqual(PROBED[name]);
    }
    const budget = manifests.find(({ kind }) => kind === 'PodDisruptionBudget')!;
    expect(budget.spec.maxUnavailable).toBe(name === 'party' ? 0 : 1);
    const triggers = manifests.find(({ kind }) => kind === 'ScaledObject')?.spec.triggers ?? [];
    expect(triggers.map(({ type, metadata }) => [type, metadata.query])).toEqual(
      name === 'party' ? [['prometheus', 'max(countersign_queue_oldest_age_seconds)']] : [],
    );
  });

  it('let no process do what it need not', () => {
    for (const { spec } of workloads) {
      const pod = spec.template.spec;
      expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 10_001 });
      expect(pod.automountServiceAccountToken).toBe(false);
      expect(pod.terminationGracePeriodSeconds).toBe(SECONDS_TO_STOP[name]);
      for (const { securityContext, args = [] } of [...pod.containers, ...pod.initContainers]) {
        // a colon in one that is not quoted makes a mapping of it
        expect(args.filter((one) => typeof one !== 'string')).toEqual([]);
        expect(securityContext).toEqual({
          readOnlyRootFilesystem: true,
          allowPrivilegeEscalation: false,
          capabilities: { drop: ['ALL'] },
        });
      }
    }
    expect(manifests.some(({ kind }) => kind === 'NetworkPolicy')).toBe(true);
  });
}

function checkCloudRole(): void {
  const home = mkdtempSync(join(tmpdir(), 'countersign-kustomize-'));
  const at = (name: string) => relative(home, join(import.meta.dirname, name));
  writeFileSync(
    join(home, 'kustomization.yaml'),
    `namespace: a-party\nresources: [${at('party')}]\ncomponents: [${at('cloud-role')}]\n`,
  );
  const manifests = hasKubectl ? manifestsIn(home) : [];
  rmSync(home, { recursive: true });
  const base = hasKubectl ? manifestsOf('party') : [];
  const policiesOf = (all: readonly Manifest[]) =>
    all
      .filter(({ kind }) => kind === 'NetworkPolicy')
      .map(({ metadata, spec }) => [metadata.name, spec]);

  it('lets that party reach the servers of its node that hand out credentials, and no other', () => {
    const added = policiesOf(manifests).slice(1);
    expect(policiesOf(manifests).slice(0, 1)).toEqual(policiesOf(base));
    expect(added.map(([name]) => name)).toEqual(['party-cloud-role']);
    const { policyTypes, podSelector, egress } = added[0]![1] as Manifest['spec'];
    expect(policyTypes).toEqual(['Egress']);
    for (const { spec } of workloadsOf(manifests)) {
      expect(spec.template.metadata.labels).toMatchObject(podSelector!.matchLabels);
    }
    const reached = egress!.map(({ to, ports }) => [
      to?.map(({ ipBlock }) => ipBlock.cidr),
      ports.map(({ port }) => port),
    ]);
    expect(reached).toEqual([
      [['169.254.169.254/32'], [80]],
      [['169.254.169.252/32'], [988]],
      [['169.254.170.23/32'], [80]],
    ]);
  });

  it('without it no process reaches one of them', () => {
    for (const name of NAMES) {
      const policies = hasKubectl ? policiesOf(manifestsOf(name)) : [];
      const ports = policies.flatMap(([, spec]) =>
        (spec as Manifest['spec']).egress!.flatMap((rule) => rule.ports.map(({ port }) => port)),
      );
      expect(ports).toEqual([5432, 6379, 443, 53, 53]);
    }
  });
}

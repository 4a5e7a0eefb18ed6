/** What each container image is made of. */
export interface ImageContents {
  /** Workspaces whose bundle it has. */
  readonly programs: readonly string[];
  /** What a bundle looks for outside itself, as it lies in the repository. */
  readonly folders: readonly string[];
  /** Packages that have to come with all that they need. */
  readonly packages: readonly string[];
}

const SODIUM = 'node_modules/sodium-native';

/** Of a process that is told a collector. */
const TRACING = [
  '@opentelemetry/api',
  '@opentelemetry/exporter-trace-otlp-http',
  '@opentelemetry/resources',
  '@opentelemetry/sdk-trace',
];

/** Whose native code an image has. */
export const MACHINE = 'linux-x64';

/** Of a party with a PKCS#11 token. */
const PKCS11 = ['koffi', `@koromix/koffi-${MACHINE}`];

export const IMAGES = {
  /** What speaks to callers, receivers of events and sources of prices. No code of a party is in it. */
  gateway: {
    programs: ['gateway', 'notifier', 'infra/prices'],
    folders: [
      SODIUM,
      'node_modules/swagger-ui-dist',
      'node_modules/@bull-board/ui',
      'console/dist',
    ],
    packages: TRACING,
  },
  /** A party, with the programs that make, back up and restore its keys. It listens on nothing but its metrics port. */
  signer: {
    programs: ['signer'],
    folders: [SODIUM, 'node_modules/piscina'],
    packages: ['libsodium-wrappers-sumo', ...TRACING, ...PKCS11],
  },
  /** The `countersign` command: migrations, genesis, doctor. */
  admin: {
    programs: ['infra/admin'],
    folders: [SODIUM],
    packages: ['typeorm', 'pg'],
  },
} satisfies Record<string, ImageContents>;

export type ImageName = keyof typeof IMAGES;
export const IMAGE_NAMES = Object.keys(IMAGES) as ImageName[];

/** Where everything of the vault lies in an image. */
export const IMAGE_HOME = 'opt/countersign';

/** Other machines' native code, and what nobody runs. What V8 made of a program differs from build to build. */
export function isLeftOut(path: string, machine: string): boolean {
  const prebuilt = /\/prebuilds\/([^/]+)/.exec(path);
  if (prebuilt !== null && prebuilt[1] !== machine) return true;
  return /\.(map|d\.[cm]?ts|md|markdown)$/.test(path) || path.endsWith('/code-cache');
}

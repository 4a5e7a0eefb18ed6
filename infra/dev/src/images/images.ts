/** What each container image is made of. */
export interface ImageContents {
  /** Workspaces whose bundle it has. */
  readonly programs: readonly string[];
  /** Packages that a bundle looks for outside itself, with all that they need. */
  readonly packages: readonly string[];
  /** Folders that are built and are no bundles. */
  readonly folders: readonly string[];
}

export const IMAGES = {
  /** What speaks to callers, receivers of events and sources of prices. No code of a party is in it. */
  gateway: {
    programs: ['gateway', 'notifier', 'infra/prices'],
    packages: ['sodium-native', 'swagger-ui-dist', '@bull-board/ui'],
    folders: ['console/dist'],
  },
  /** A party, with the programs that make, back up and restore its keys. It listens on nothing but its metrics port. */
  signer: {
    programs: ['signer'],
    packages: ['sodium-native', 'piscina', 'libsodium-wrappers-sumo'],
    folders: [],
  },
  /** The `countersign` command: migrations, genesis, doctor. */
  admin: {
    programs: ['infra/admin'],
    packages: ['sodium-native', 'typeorm', 'pg', 'libsodium-wrappers-sumo'],
    folders: [],
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

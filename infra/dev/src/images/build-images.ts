/**
 * `build-images.js FOLDER [IMAGE...]`: builds the container images with buildah, after `npm run build`. Each is left in
 * buildah's store as `countersign-IMAGE:VERSION`, and in FOLDER as an OCI layout with its bill of materials beside it.
 * Prints the digest of each: from the same commit it is the same on every machine.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ROOT } from '../build/bundle.js';
import { imageBill, productBill, type SpdxDocument } from './bill-of-materials.js';
import { IMAGE_NAMES, IMAGES, type ImageName } from './images.js';
import { layOut } from './lay-out.js';

const CONTAINERFILE = join(ROOT, 'infra/images/Containerfile');

const manifestOf = (folder: string) =>
  JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8')) as {
    name: string;
    version: string;
  };

async function buildImage(image: ImageName, product: SpdxDocument, to: string): Promise<string> {
  const work = mkdtempSync(join(tmpdir(), 'countersign-image-'));
  try {
    const tree = join(work, 'root');
    mkdirSync(join(work, 'state/countersign'), { recursive: true });
    await layOut(image, tree, join(work, 'debian'));
    const bill = imageBill(
      product,
      image,
      IMAGES[image].programs.map((one) => manifestOf(one).name),
    );
    const billText = `${JSON.stringify(bill, null, 2)}\n`;
    const billFile = join(tree, 'usr/share/doc/countersign/bill-of-materials.spdx.json');
    mkdirSync(dirname(billFile), { recursive: true });
    writeFileSync(billFile, billText);
    writeFileSync(join(to, `${image}.spdx.json`), billText);
    return commit(image, work, to);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Returns the digest of the image's manifest. */
function commit(image: ImageName, context: string, to: string): string {
  const tag = `localhost/countersign-${image}:${manifestOf('.').version}`;
  const build = ['build', '--quiet', '--format', 'oci', '--timestamp', '0', '--layers=false'];
  const identity = '--identity-label=false';
  buildah([...build, identity, '--target', image, '--tag', tag, '--file', CONTAINERFILE, context]);
  const digest = join(to, `${image}.digest`);
  const layout = join(to, image);
  rmSync(layout, { recursive: true, force: true });
  buildah([
    'push',
    '--quiet',
    '--digestfile',
    digest,
    tag,
    `oci:${layout}:${manifestOf('.').version}`,
  ]);
  return readFileSync(digest, 'utf8').trim();
}

function buildah(args: readonly string[]): void {
  execFileSync('buildah', args, { stdio: ['ignore', 'ignore', 'inherit'] });
}

const [, , folder, ...names] = process.argv;
const images = IMAGE_NAMES.filter((name) => names.length === 0 || names.includes(name));
if (folder === undefined || (names.length > 0 && images.length !== names.length)) {
  console.error(`build-images.js FOLDER [IMAGE...]: ${IMAGE_NAMES.join(', ')}`);
  process.exit(2);
}
mkdirSync(folder, { recursive: true });
const product = productBill(ROOT);
for (const image of images) console.log(`${image} ${await buildImage(image, product, folder)}`);

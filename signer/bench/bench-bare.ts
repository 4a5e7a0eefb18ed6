/**
 * What the maths of one signature costs with nothing around it, in one process and one thread, without queue or records:
 * the caller verified, then
 *
 *   ed25519             a partner's share, the lead's share, both added up and verified
 *   hmac                a partner's part, the three parts joined, HMAC-SHA-256 of an order
 *   rsa2048             a partner's and a lead's power (by the code that signs), a signature verified
 *
 * `node bench-bare.js <one of them>`, started with an IPC channel, says `{ready: true}`; to each message `{seconds}` it
 * works for so long and answers `{signatures, seconds, cpuUs}`, `cpuUs` being the processor time of one.
 */
import { generateKeyPairSync, randomBytes, sign, verify } from 'node:crypto';
import { sodium } from '@countersign/custody/sodium.js';
import { verifyEd25519 } from '@countersign/core/ed25519.js';
import { encodeHmacPayload, partCommitment } from '@countersign/custody/import-package.js';
import {
  encodeHmacKeyShare,
  hmacContribution,
  hmacSignature,
  partThatLacks,
} from '../dist/secrets/maths/hmac-maths.js';
import { SigningModexp } from '../dist/secrets/rsa/modexp.js';
import {
  dkgRoundOne,
  dkgRoundThree,
  dkgRoundTwo,
  type DkgResult,
} from '../dist/secrets/frost/dkg.js';
import type { RoundOnePackages } from '../dist/threads/dkg-packages.js';
import {
  commit,
  IDENTIFIERS,
  signAndAggregate,
  signShare,
} from '../dist/secrets/frost/frost-ed25519.js';

const WARM_UP_S = 0.5;

function generateShares(): [DkgResult, DkgResult] {
  const started = IDENTIFIERS.map((identifier) => dkgRoundOne(identifier));
  const packages = started.map(
    ({ roundOnePackage }) => roundOnePackage,
  ) as never as RoundOnePackages;
  const secret = started.map(({ participant }) => dkgRoundTwo(participant, packages));
  const [first, second] = started.map(({ participant }) =>
    dkgRoundThree(
      participant,
      packages,
      secret
        .flat()
        .flatMap(({ recipient, bytes }) => (recipient === participant.identifier ? [bytes] : [])),
    ),
  );
  return [first!, second!];
}

/** As long as what a partner binds its nonces to. */
const USE = randomBytes(200);

/** One whole signature. Throws when anything does not verify. */
type SignOnce = () => void;

function ed25519Maths(): SignOnce {
  const [lead, partner] = generateShares();
  return () => {
    const leadNonces = commit(lead.signingShare, USE);
    const partnerNonces = commit(partner.signingShare, USE);
    const common = {
      groupPublicKey: lead.groupPublicKey,
      message: randomBytes(32),
      commitments: [
        { identifier: lead.identifier, commitment: leadNonces.commitment },
        { identifier: partner.identifier, commitment: partnerNonces.commitment },
      ],
    };
    const otherSignatureShare = signShare({
      ...common,
      identifier: partner.identifier,
      signingShare: partner.signingShare,
      nonces: partnerNonces,
    });
    signAndAggregate({
      ...common,
      identifier: lead.identifier,
      signingShare: lead.signingShare,
      verifyingShares: lead.verifyingShares,
      nonces: leadNonces,
      otherSignatureShare,
    });
  };
}

/** As long as the query of an order. */
const ORDER = randomBytes(120);

function hmacMaths(): SignOnce {
  const payload = encodeHmacPayload({ secret: randomBytes(48), passphrase: '' });
  const [one, two] = [randomBytes(payload.length), randomBytes(payload.length)];
  const three = payload.map((byte, at) => byte ^ one[at]! ^ two[at]!);
  const missing = partThatLacks(1);
  const lead = encodeHmacKeyShare({
    party: 1,
    parts: [one, two],
    missingCommitment: partCommitment(missing, three),
  });
  const partner = encodeHmacKeyShare({
    party: 2,
    parts: [two, three],
    missingCommitment: partCommitment(1, one),
  });
  return () => {
    const contribution = hmacContribution(2, partner, { leadParty: 1 } as never);
    const message = { message: ORDER, scheme: 'hmac_sha256', passphrase: '' };
    hmacSignature(1, lead, { ...message, contribution } as never);
  };
}

/** Exponents of keys that parties make are longer than the modulus, by about this much. */
const EXTRA_EXPONENT_BYTES = 17;

function rsaMaths(modulusBits: number): SignOnce {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: modulusBits });
  const { n } = publicKey.export({ format: 'jwk' });
  const modulus = Buffer.from(n!, 'base64url');
  const modexp = new SigningModexp(2);
  const exponents = [0, 1].map(() => randomBytes(modulus.length + EXTRA_EXPONENT_BYTES));
  const message = randomBytes(32);
  const signature = sign('sha256', message, privateKey);
  return () => {
    const encoded = randomBytes(modulus.length);
    encoded[0] = 0;
    for (const exponent of exponents) modexp.power(modulus, exponent, encoded);
    if (!verify('sha256', message, publicKey, signature)) throw new Error('signature');
  };
}

interface Caller {
  readonly publicKey: Uint8Array;
  readonly digest: Uint8Array;
  readonly assertion: Uint8Array;
}

function createCaller(): Caller {
  const publicKey = new Uint8Array(32);
  const secretKey = new Uint8Array(64);
  sodium.crypto_sign_seed_keypair(publicKey, secretKey, randomBytes(32));
  const digest = randomBytes(32);
  const assertion = new Uint8Array(64);
  sodium.crypto_sign_detached(assertion, digest, secretKey);
  return { publicKey, digest, assertion };
}

/** How many signatures between two looks at the clock. */
const MATHS: Readonly<Record<string, { create(): SignOnce; atOnce: number }>> = {
  ed25519: { create: ed25519Maths, atOnce: 16 },
  hmac: { create: hmacMaths, atOnce: 64 },
  rsa2048: { create: () => rsaMaths(2_048), atOnce: 1 },
};

function runFor(signOnce: SignOnce, atOnce: number, wantedSeconds: number) {
  const startedAt = performance.now();
  const cpuBefore = process.cpuUsage();
  let signatures = 0;
  while (performance.now() - startedAt < wantedSeconds * 1_000) {
    for (let index = 0; index < atOnce; index++) signOnce();
    signatures += atOnce;
  }
  const seconds = (performance.now() - startedAt) / 1_000;
  const { user, system } = process.cpuUsage(cpuBefore);
  return { signatures, seconds, cpuUs: (user + system) / signatures };
}

const maths = MATHS[process.argv[2] ?? ''];
if (maths === undefined || process.send === undefined) throw new Error('see the top of this file');
const caller = createCaller();
const signKey = maths.create();
const signOnce = () => {
  if (!verifyEd25519(caller.publicKey, caller.digest, caller.assertion)) throw new Error('caller');
  signKey();
};
runFor(signOnce, maths.atOnce, WARM_UP_S);
process.on('message', ({ seconds }: { seconds: number }) => {
  process.send!(runFor(signOnce, maths.atOnce, seconds));
});
process.once('disconnect', () => process.exit(0));
process.send({ ready: true });

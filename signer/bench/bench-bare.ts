/**
 * What the maths of one signature costs with nothing around it: the caller verified, a partner's share,
 * the lead's share, both added up and verified; one process, one thread, no queue, no records.
 * `node dist/bench-bare.js <seconds>` prints `{"signatures":n,"seconds":s,"cpuUs":c}`,
 * `cpuUs` being the processor time of one.
 */
import { randomBytes } from 'node:crypto';
import { sodium } from '@countersign/custody/sodium.js';
import { verifyEd25519 } from '@countersign/core/ed25519.js';
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

const CHECK_CLOCK_EVERY = 16;

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

/** One request, as the parties do it. Throws when anything does not verify. */
function signOnce([lead, partner]: [DkgResult, DkgResult], caller: Caller): void {
  const message = randomBytes(32);
  if (!verifyEd25519(caller.publicKey, caller.digest, caller.assertion)) throw new Error('caller');
  const leadNonces = commit(lead.signingShare, USE);
  const partnerNonces = commit(partner.signingShare, USE);
  const common = {
    groupPublicKey: lead.groupPublicKey,
    message,
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

const wantedMs = Number(process.argv[2] ?? 5) * 1_000;
const shares = generateShares();
const caller = createCaller();
const startedAt = performance.now();
const cpuBefore = process.cpuUsage();
let signatures = 0;
while (performance.now() - startedAt < wantedMs) {
  for (let index = 0; index < CHECK_CLOCK_EVERY; index++) signOnce(shares, caller);
  signatures += CHECK_CLOCK_EVERY;
}
const seconds = (performance.now() - startedAt) / 1_000;
const { user, system } = process.cpuUsage(cpuBefore);
const cpuUs = (user + system) / signatures;
process.stdout.write(JSON.stringify({ signatures, seconds, cpuUs }) + '\n');

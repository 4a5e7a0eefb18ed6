/**
 * One whole 2-of-3 FROST signature (two commitments, two shares, the sum, verified) by this party's own maths on
 * libsodium and by `ed25519_FROST` of @noble/curves, beside a single-key Ed25519 signature of node:crypto. In turns,
 * so that whatever else the machine does meets all of them alike; prints the medians of the processor time (µs).
 */
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { ed25519_FROST as noble } from '@noble/curves/ed25519.js';
import { commit, signAndAggregate, signShare } from '../dist/secrets/frost/frost-ed25519.js';

const WARM_UP_ROUNDS = 2;
const ROUNDS = 9;
const PAIR = [1, 2] as const;
/** As long as what a partner binds its nonces to for a request of 32 bytes. */
const USE = randomBytes(200);

const dealt = noble.trustedDealer({ min: 2, max: 3 });
const idOf = (party: number) => noble.Identifier.fromNumber(party);
const shareOf = (party: number) => dealt.secretShares[idOf(party)]!;
const groupPublicKey = dealt.public.commitments[0]!;
const [one, two, three] = [1, 2, 3].map((party) => dealt.public.verifyingShares[idOf(party)]!);
const { privateKey } = generateKeyPairSync('ed25519');

function signByLibsodium(message: Uint8Array): void {
  const [leadShare, partnerShare] = PAIR.map((party) => shareOf(party).signingShare);
  const [lead, partner] = [commit(leadShare!, USE), commit(partnerShare!, USE)];
  const commitments = [lead, partner].map(({ commitment }, index) => ({
    identifier: PAIR[index]!,
    commitment,
  }));
  const common = { groupPublicKey, message, commitments };
  const otherSignatureShare = signShare({
    ...common,
    identifier: 2,
    signingShare: partnerShare!,
    nonces: partner,
  });
  signAndAggregate({
    ...common,
    identifier: 1,
    signingShare: leadShare!,
    verifyingShares: [one!, two!, three!],
    nonces: lead,
    otherSignatureShare,
  });
}

function signByNoble(message: Uint8Array): void {
  const secrets = PAIR.map(shareOf);
  const made = secrets.map((secret) => noble.commit(secret));
  const commitments = made.map((each) => each.commitments);
  const shares = secrets.map((secret, index) => [
    secret.identifier,
    noble.signShare(secret, dealt.public, made[index]!.nonces, commitments, message),
  ]);
  noble.aggregate(
    dealt.public,
    commitments,
    message,
    Object.fromEntries(shares) as Record<string, Uint8Array>,
  );
}

const WAYS = [
  { name: 'libsodium', count: 60, sign: signByLibsodium },
  { name: 'noble', count: 3, sign: signByNoble },
  {
    name: 'single_key',
    count: 600,
    sign: (message: Uint8Array) => sign(null, message, privateKey),
  },
];

const costs = WAYS.map((): number[] => []);
for (let round = 0; round < WARM_UP_ROUNDS + ROUNDS; round++) {
  for (const [index, way] of WAYS.entries()) {
    const before = process.cpuUsage();
    for (let done = 0; done < way.count; done++) way.sign(randomBytes(32));
    const { user, system } = process.cpuUsage(before);
    if (round >= WARM_UP_ROUNDS) costs[index]!.push((user + system) / way.count);
  }
}
const medians = WAYS.map(({ name }, index) => [
  name,
  costs[index]!.toSorted((a, b) => a - b)[ROUNDS >> 1]!,
]);
process.stdout.write(`${JSON.stringify(Object.fromEntries(medians))}\n`);

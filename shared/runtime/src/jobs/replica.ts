/** Names a process of a party, and defines how it says in Redis that it is alive. */
import { randomBytes } from 'node:crypto';
import { ByteWriter, type ByteReader } from '@countersign/core/bytes.js';
import { verifyEd25519 } from '@countersign/core/ed25519.js';
import type { PartyIdentity, PartyNumber } from '@countersign/core/parties.js';
import { SPOKEN, spokenVersions, versionsText, type SpokenVersions } from './protocol.js';

/** One running process of a party. */
export interface Replica {
  readonly party: PartyNumber;
  /** Letters, digits, `-`; names the replica's queue. */
  readonly name: string;
  /**
   * 16 bytes, hex, drawn when the process starts. A message to an earlier process of the same name is not for this
   * one.
   */
  readonly boot: string;
}

const BOOT_BYTES = 16;
const REPLICA_NAME = /^[A-Za-z0-9-]{1,64}$/;
const REPLICA_ID = /^([123]):([A-Za-z0-9-]{1,64}):([0-9a-f]{32})$/;
const PRESENCE_ENTRY =
  /^([0-9a-f]{32}) (\d{1,15}) (\d{1,3})-(\d{1,3})( primary)?(?: (cannot_pin|cannot_record|waits))?( [A-Za-z0-9_-]{86})?$/;

export function startReplica(party: PartyNumber, name: string): Replica {
  return { party, name, boot: randomBytes(BOOT_BYTES).toString('hex') };
}

export function replicaId({ party, name, boot }: Replica): string {
  return `${party}:${name}:${boot}`;
}

function parseReplicaId(text: string): Replica | undefined {
  const match = REPLICA_ID.exec(text);
  if (match === null) return undefined;
  return { party: Number(match[1]) as PartyNumber, name: match[2]!, boot: match[3]! };
}

export function isSameReplica(a: Replica, b: Replica): boolean {
  return replicaId(a) === replicaId(b);
}

export function writeReplica(writer: ByteWriter, { party, name, boot }: Replica): ByteWriter {
  return writer.u8(party).field(name).fixed(Buffer.from(boot, 'hex'));
}

/** Throws RangeError. */
export function readReplica(reader: ByteReader): Replica {
  const party = reader.u8();
  if (party !== 1 && party !== 2 && party !== 3) throw new RangeError('unknown party');
  const name = reader.text();
  if (!REPLICA_NAME.test(name)) throw new RangeError('not a name of a replica');
  return { party, name, boot: reader.fixed(BOOT_BYTES).toString('hex') };
}

/**
 * Why a replica does not sign: its disk takes no pin, or the database does not take its records. Or it waits, after it
 * began anew, until it may take requests and holds shares: meanwhile it takes part in all else.
 */
export type ReplicaTrouble = 'cannot_pin' | 'cannot_record' | 'waits';

/** Why a gateway leaves a party out: `other_release` is its own finding, that the two speak no common version. */
export type PartyTrouble = ReplicaTrouble | 'other_release';

/** The content of an entry in the hash of presences. */
export interface PresenceEntry {
  readonly replica: Replica;
  /** ms, by the replica's clock. */
  readonly seenAt: number;
  /** Whether it speaks for its party. */
  readonly isPrimary: boolean;
  /** The versions of the protocol that it speaks. */
  readonly spoken: SpokenVersions;
  readonly trouble: ReplicaTrouble | undefined;
  /** Signature of its party's identity key over {@link presenceMessage}, 64 bytes; undefined if there is none. */
  readonly signature: Buffer | undefined;
}

/** Whether the replica takes requests for signatures. */
export function canSign({ trouble }: { readonly trouble: PartyTrouble | undefined }): boolean {
  return trouble === undefined;
}

/** Whether the replica takes part in what parties do together beside signing. */
export function isOfUse({ trouble }: Pick<PresenceEntry, 'trouble'>): boolean {
  return trouble === undefined || trouble === 'waits';
}

/** A party signs this once for each of its processes, so that nobody else can invent one. */
export function presenceMessage(
  replica: Replica,
  isPrimary: boolean,
  genesisHash: string,
  spoken = SPOKEN,
): Buffer {
  const writer = new ByteWriter().field('countersign presence v2').field(genesisHash);
  return writeReplica(writer, replica)
    .u8(isPrimary ? 1 : 0)
    .u8(spoken.oldest)
    .u8(spoken.newest)
    .bytes();
}

/** Whether the entry is signed by its party. `parties`: as the ledger names them; `genesisHash`: hex. */
export function isSignedByParty(
  { replica, isPrimary, spoken, signature }: PresenceEntry,
  {
    parties,
    genesisHash,
  }: { readonly parties: readonly PartyIdentity[]; readonly genesisHash: string },
): boolean {
  const identity = parties.find(({ party }) => party === replica.party);
  if (identity === undefined || signature === undefined) return false;
  const publicKey = Buffer.from(identity.identityPublicKey, 'base64');
  const message = presenceMessage(replica, isPrimary, genesisHash, spoken);
  return verifyEd25519(publicKey, message, signature);
}

/** Field and value in the hash of presences. There is one entry per name, so a restart leaves no old one behind. */
export function presenceEntry(
  { party, name, boot }: Replica,
  seenAt: number,
  isPrimary: boolean,
  signature?: Uint8Array,
  { trouble, spoken = SPOKEN }: Partial<Pick<PresenceEntry, 'trouble' | 'spoken'>> = {},
): [string, string] {
  const signed = signature === undefined ? '' : ` ${Buffer.from(signature).toString('base64url')}`;
  const marks = `${isPrimary ? ' primary' : ''}${trouble === undefined ? '' : ` ${trouble}`}`;
  return [`${party}:${name}`, `${boot} ${seenAt} ${versionsText(spoken)}${marks}${signed}`];
}

/**
 * Undefined for an entry in no party's form. The signature is not checked. It does not cover the trouble, which is a
 * hint like the rest.
 */
export function parsePresence(field: string, value: string): PresenceEntry | undefined {
  const match = PRESENCE_ENTRY.exec(value);
  if (match === null) return undefined;
  const replica = parseReplicaId(`${field}:${match[1]!}`);
  const spoken = spokenVersions(Number(match[3]), Number(match[4]));
  if (replica === undefined || spoken === undefined) return undefined;
  const signature = match[7] === undefined ? undefined : Buffer.from(match[7], 'base64url');
  const trouble = match[6] as ReplicaTrouble | undefined;
  const isPrimary = match[5] !== undefined;
  return { replica, seenAt: Number(match[2]), isPrimary, spoken, trouble, signature };
}

/** Writes evidence, and reads what carries it unsealed. Entries of the ledger are read by `evidence.ts` alone. */
import { asBuffer, ByteWriter, type Bytes } from './bytes.js';
import { credentialContext, EVIDENCE, readEvidence, type Evidence } from './evidence.js';
import type { EvidenceKeys } from './evidence-seal.js';
import * as r from './records.js';

/** Throws RangeError on malformed bytes. The credential is in the clear: seal whatever carries this. */
export function encodeEvidence(evidence: Evidence): Buffer {
  return encode({ ...evidence, credential: Buffer.from(evidence.credential, 'latin1') });
}

export function decodeEvidence(bytes: Bytes): Evidence {
  const { credential, ...rest } = readEvidence(bytes);
  return { ...rest, credential: asBuffer(credential).toString('latin1') };
}

/** As {@link encodeEvidence}, with the credential sealed under the evidence key. */
export function sealEvidence(evidence: Evidence, keys: Pick<EvidenceKeys, 'seal'>): Buffer {
  const credential = Buffer.from(evidence.credential, 'latin1');
  return encode({ ...evidence, credential: keys.seal(credential, credentialContext(evidence)) });
}

function encode(evidence: r.Recorded<typeof EVIDENCE>): Buffer {
  return r.writeRecord(new ByteWriter(), EVIDENCE, evidence).bytes();
}

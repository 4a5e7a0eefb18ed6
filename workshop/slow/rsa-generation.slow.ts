/**
 * A hundred generated keys, each taken apart. Not part of `npm test`:
 *
 *   NODE_OPTIONS=--experimental-vm-modules npx jest --testMatch '<rootDir>/workshop/slow/*.slow.ts' \
 *     --globalSetup= --globalTeardown=
 */
import { expect, test } from '@jest/globals';
import { toHex } from '@countersign/core/bytes.js';
import {
  canSignTogether,
  faultsOf,
  generateWithThreeParties,
} from '../../test/support/three-parties.js';

const KEYS = 100;
const MODULUS_BITS = 1024;
const TIMEOUT_MS = 1_800_000;

test(
  `${KEYS} moduli of ${MODULUS_BITS} bits are distinct and of the right form, and every pair signs`,
  async () => {
    const moduli = new Set<string>();
    const parts = new Set<string>();
    const faults: string[] = [];
    for (let made = 0; made < KEYS; made += 1) {
      const results = await generateWithThreeParties({ modulusBits: MODULUS_BITS });
      const shares = { 1: results[1].share, 2: results[2].share, 3: results[3].share };
      faults.push(...faultsOf(shares, MODULUS_BITS));
      moduli.add(toHex(shares[1].modulus));
      for (const share of [shares[1], shares[2], shares[3]]) parts.add(toHex(share.own));
      expect(canSignTogether(shares[1], shares[2])).toBe(true);
      expect(canSignTogether(shares[2], shares[3])).toBe(true);
      expect(canSignTogether(shares[3], shares[1])).toBe(true);
    }
    expect(faults).toEqual([]);
    expect(moduli.size).toBe(KEYS);
    expect(parts.size).toBe(3 * KEYS);
  },
  TIMEOUT_MS,
);

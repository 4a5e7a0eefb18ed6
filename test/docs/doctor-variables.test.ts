/** What `countersign doctor` knows of the processes is what they read: the operator's tools import none of them. */
import { describe, expect, it } from '@jest/globals';
import { gatewayVariables } from '../../gateway/src/gateway-config.ts';
import {
  KEK_NAME,
  PROCESS_VARIABLES,
  SEALED_KEYS,
} from '../../infra/admin/src/doctor/process-variables.ts';
import { relayVariables } from '../../infra/prices/src/relay-config.ts';
import { notifierVariables } from '../../notifier/src/notifier-config.ts';
import { partyKeyFiles } from '../../signer/src/party/party-keys.ts';
import { signerVariables } from '../../signer/src/signer-config.ts';

interface Variable {
  safeParse(given: unknown): { readonly success: boolean; readonly data?: unknown };
}
type Variables = Readonly<Record<string, Variable>>;

const READ: Record<string, Variables> = {
  gateway: gatewayVariables.shape,
  party: signerVariables.shape,
  notifier: notifierVariables.shape,
  prices: relayVariables.shape,
};
const KNOWN: Record<string, Variables> = PROCESS_VARIABLES;

/** Every number at which some variable begins or ends, and its neighbours. */
const BOUNDS = [
  0, 1, 30, 36, 50, 60, 64, 250, 365, 500, 1_000, 3_600, 5_000, 8_080, 10_000, 65_535, 86_400,
  100_000, 120_000, 1_000_000,
].flatMap((one) => [one - 1, one, one + 1]);
const PROBES = [
  undefined,
  ...['', ' ', 'x', 'a'.repeat(65), '-1', '1.5', '1,2', '::1', '10.0.0.7', '10.0.0.0/8, ::1'],
  ...['postgres://a:b@c/d', 'allowed', 'refused', 'info', 'silent', 'ab'.repeat(32), '/etc/file'],
  ...BOUNDS.map(String),
];

const answersOf = (schema: Variable) =>
  PROBES.map((probe) => {
    const { success, data } = schema.safeParse(probe);
    return [probe, success ? data : 'refused'];
  });

const PAIRS = Object.entries(READ).flatMap(([process, shape]) =>
  Object.keys(shape).map((name) => ({ process, name })),
);

describe('what the doctor knows', () => {
  it.each(Object.keys(READ))('of %s are its variables, and no others', (process) => {
    const names = (shape: object) => Object.keys(shape).toSorted();
    expect(names(KNOWN[process]!)).toEqual(names(READ[process]!));
  });

  it.each(PAIRS)('of $name of $process is what the process makes of it', ({ process, name }) => {
    expect(answersOf(KNOWN[process]![name]!)).toEqual(answersOf(READ[process]![name]!));
  });

  it('of a key folder are its files', () => {
    const { kek, ...sealed } = partyKeyFiles('');
    expect(SEALED_KEYS.toSorted()).toEqual(Object.values(sealed).toSorted());
    expect(KEK_NAME).toBe(kek);
  });
});

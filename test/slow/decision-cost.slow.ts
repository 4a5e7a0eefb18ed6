/**
 * What a signing decision costs in a vault with ten policies and in one with 10,000 policies and 100,000 members: measured by
 * turns, so that whatever else the machine does falls on both alike. Prints the ratio; `ROUNDS` turns.
 */
import { expect, it } from '@jest/globals';
import { decideSigning, type SigningFacts } from '@countersign/vault/policy/signing-policy.js';
import { canBeAllowed, isNamedByRule } from '@countersign/vault/policy/signing-rights.js';
import { EMPTY_STATE, type Rule, type VaultState } from '@countersign/vault/state/state.js';
import { insertRow } from '@countersign/vault/state/table.js';

const ROUNDS = Number(process.env['ROUNDS'] ?? 400);
const DECISIONS_A_ROUND = 2_000;
const STAMPS = { createdAt: 0, createdBy: 'x', lastUpdatedAt: 0, lastUpdatedBy: 'x' };

const initiator: SigningFacts['initiator'] = {
  ...STAMPS,
  id: 'bot',
  type: 'machine',
  displayName: 'bot',
  description: null,
  userGroupIds: ['traders'],
  frozen: null,
  apiKeySha256: '',
  publicKey: '',
  publicKeySince: 0,
  expiresAt: null,
};

const rule = (id: string, fields: Partial<Rule> = {}): Rule => ({
  id,
  displayName: id,
  enabled: true,
  when: { initiators: { userIds: [], userGroupIds: ['others', 'traders'] } },
  then: 'allow',
  ...fields,
});

/** As many groups as policies, the members spread over them; every group alike. */
function vaultOf(policies: number, members: number): VaultState {
  let { securityGroups, signingPolicies } = EMPTY_STATE;
  const each = members / policies;
  for (let index = 0; index < policies; index++) {
    const id = `policy-${index}`;
    signingPolicies = insertRow(signingPolicies, {
      ...STAMPS,
      id,
      displayName: id,
      securityGroupId: `group-${index}`,
      version: 1,
      rules: [rule(`deny-${index}`, { then: 'deny', when: { networks: ['other'] } }), rule(id)],
    });
    securityGroups = insertRow(securityGroups, {
      ...STAMPS,
      id: `group-${index}`,
      displayName: `group-${index}`,
      vaultIds: null,
      members: Array.from({ length: each }, (_, n) => ({
        id: `member-${index * each + n}`,
        type: 'key' as const,
      })),
      signingPolicyIds: [id],
    });
  }
  return { ...EMPTY_STATE, securityGroups, signingPolicies };
}

/** Nanoseconds for a round of all that policy does for a request; members that are near one another in memory and far. */
function roundOf(state: VaultState, members: number): number {
  const asked: SigningFacts = { operation: 'sign', initiator, receivedAt: 0 };
  const begun = process.hrtime.bigint();
  for (let index = 0; index < DECISIONS_A_ROUND; index++) {
    const member = `member-${(index % 10) * (members / 10)}`;
    const isAllowed =
      isNamedByRule(state, member, initiator) &&
      canBeAllowed(state, member, asked) &&
      decideSigning(state, member, asked).outcome === 'allow';
    if (!isAllowed) throw new Error(`${member} is not allowed`);
  }
  return Number(process.hrtime.bigint() - begun);
}

const median = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;

it('is told for both sizes', () => {
  const small = vaultOf(10, 100);
  const large = vaultOf(10_000, 100_000);
  const ratios: number[] = [];
  const [ofSmall, ofLarge]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    ofSmall.push(roundOf(small, 100));
    ofLarge.push(roundOf(large, 100_000));
    ratios.push(ofLarge.at(-1)! / ofSmall.at(-1)!);
  }
  const us = (ns: number) => (ns / DECISIONS_A_ROUND / 1_000).toFixed(2);
  process.stdout.write(
    `a decision: ${us(median(ofSmall))} us with ten policies, ${us(median(ofLarge))} us with 10,000; ` +
      `ratio ${median(ratios).toFixed(3)}\n`,
  );
  expect(ratios).toHaveLength(ROUNDS);
});

/** `countersign policies apply`: a signing policy as its file says, after a look at what that changes. */
import { updateSigningPolicyRequest } from '@countersign/api/policy-requests.js';
import type { OperationValue } from '@countersign/client/countersign-client.js';
import { createTwoFilesPatch } from 'diff';
import { stringify } from 'yaml';
import {
  UsageError,
  type Command,
  type Given,
  type Outcome,
  type Surroundings,
} from '../tool/command.js';
import { readDocument } from '../tool/document.js';
import { printable, yamlOf } from '../tool/output.js';
import { callOnce } from './api-command.js';
import { backtestTotals, periodOf, SINCE_OPTION, totalsInWords } from './backtest.js';
import { asCaller, valueOrRefused, waitMsOf, WAIT_OPTION, type Caller } from './caller.js';
import { isConfirmed, YES_OPTION } from './confirm.js';
import { readText } from './given-files.js';
import { PROFILE_OPTION } from './profile.js';

export const APPLY_COMMAND: Command = {
  words: 'policies apply',
  about: 'Make a signing policy what a file says, after its diff and a backtest.',
  details: `The file is the body of POST or PUT /v1/signing-policies, or what \`policies show\` printed. Without an id it is the
policy of its group with the same name, or a new one behind the others. Rules without an id keep that of the rule with
their name. The backtest tries the change on recorded requests. Then somebody has to say yes.`,
  options: [
    {
      name: 'file',
      short: 'f',
      value: 'FILE',
      about: 'YAML or JSON; - reads standard input.',
      isRequired: true,
    },
    SINCE_OPTION,
    { name: 'dry-run', about: 'End after the backtest; nothing is changed.' },
    YES_OPTION,
    WAIT_OPTION,
    PROFILE_OPTION,
  ],
  examples: ['policies apply -f trading.yaml', 'policies apply -f trading.yaml --yes --json'],
  run: apply,
};

type Policy = OperationValue<'get-signing-policy'>;

interface Rule {
  readonly id?: string;
  readonly display_name: string;
  readonly enabled?: boolean;
}

/** What a file may say of a policy, checked by the contract's own shape. */
interface Wanted {
  readonly id?: string;
  readonly display_name: string;
  readonly security_group_id?: string;
  readonly version?: number;
  readonly rules: readonly Rule[];
}

interface Change {
  readonly current: Policy | undefined;
  readonly groupId: string;
  readonly rules: readonly Rule[];
  readonly wanted: Wanted;
  readonly diff: string;
  /** Of the whole group, in order, as it would be. */
  readonly draft: readonly { readonly rules: readonly Rule[] }[];
}

async function apply(given: Given, io: Surroundings): Promise<Outcome> {
  const file = given.one('file');
  const wanted = readWanted(file, readText(file, io));
  const period = periodOf(given, Date.now());
  const waitMs = waitMsOf(given);
  return asCaller(given, io, async (caller) => {
    const change = await findChange(caller, wanted);
    if (change.diff === '') return { value: { changed: false }, text: 'Nothing to change.\n' };
    if (!given.is('json')) io.writeOutput(change.diff);
    const body = { security_group_id: change.groupId, policies: change.draft, ...period };
    const totals = await backtestTotals(caller.client, body, io);
    if (!given.is('json')) io.writeOutput(`${totalsInWords(totals)}\n`);
    const seen = { diff: change.diff, backtest: totals };
    if (given.is('dry-run')) return { value: { changed: false, ...seen }, text: '' };
    if (!(await isConfirmed('Apply it?', given, io))) {
      return { value: { changed: false, ...seen }, text: 'Nothing was changed.\n', code: 1 };
    }
    const policy = await write(caller, change, waitMs);
    return { value: { changed: true, ...seen, policy }, text: yamlOf(policy) };
  });
}

function readWanted(file: string, text: string): Wanted {
  const document = readDocument(file, text);
  const { value } = document;
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  document.check(updateSigningPolicyRequest.body, isObject ? { version: 1, ...value } : value);
  const wanted = value as Wanted;
  if (wanted.id === undefined && wanted.security_group_id === undefined) {
    throw new UsageError(`${file}: line 1: security_group_id: is required where no id is`);
  }
  return wanted;
}

async function findChange({ client }: Caller, wanted: Wanted): Promise<Change> {
  const byId =
    wanted.id === undefined
      ? undefined
      : valueOrRefused(
          await client.call('get-signing-policy', { params: { policy_id: wanted.id } }),
        );
  const groupId = byId?.security_group_id ?? wanted.security_group_id!;
  const group: Policy[] = [];
  for await (const page of client.pages('list-signing-policies', {
    query: { security_group_id: groupId },
  })) {
    group.push(...valueOrRefused(page).results);
  }
  const current = byId ?? theOneNamed(wanted.display_name, group);
  const rules = withIdsOf(current?.rules ?? [], wanted.rules);
  const next = { rules };
  return {
    ...{ current, groupId, rules, wanted },
    diff: diffOf(current, wanted.display_name, rules),
    draft:
      current === undefined
        ? [...group.map((one) => ({ rules: one.rules })), next]
        : group.map((one) => (one.id === current.id ? next : { rules: one.rules })),
  };
}

function theOneNamed(name: string, group: readonly Policy[]): Policy | undefined {
  const named = group.filter((one) => one.display_name === name);
  if (named.length > 1)
    throw new UsageError(`${named.length} policies of the group have this name: state the id`);
  return named[0];
}

/** Whoever writes a policy by hand knows names: a rule stays the one that receipts cite. */
function withIdsOf(current: readonly Rule[], wanted: readonly Rule[]): Rule[] {
  return wanted.map((rule) => {
    if (rule.id !== undefined) return rule;
    const isFree = wanted.filter((one) => one.display_name === rule.display_name).length === 1;
    const named = current.filter((one) => one.display_name === rule.display_name);
    const id = isFree && named.length === 1 ? named[0]!.id : undefined;
    const isTaken = wanted.some((one) => one.id !== undefined && one.id === id);
    return id === undefined || isTaken ? rule : { id, ...rule };
  });
}

/** Empty where both say the same. */
function diffOf(current: Policy | undefined, name: string, rules: readonly Rule[]): string {
  const before = current === undefined ? '' : textOf(current.display_name, current.rules);
  const after = textOf(name, rules);
  if (before === after) return '';
  const title = current === undefined ? 'nothing' : `version ${current.version} of ${current.id}`;
  return printable(
    createTwoFilesPatch(title, 'the file', before, after, undefined, undefined, { context: 4 }),
  );
}

function textOf(display_name: string, rules: readonly Rule[]): string {
  const shown = rules.map((rule) => ({ ...rule, enabled: rule.enabled ?? true }));
  return stringify(
    { display_name, rules: shown },
    { lineWidth: 0, sortMapEntries: true, aliasDuplicateObjects: false },
  );
}

async function write({ client }: Caller, change: Change, waitMs: number): Promise<unknown> {
  const { current, wanted, rules, groupId } = change;
  const body = { display_name: wanted.display_name, rules };
  if (current === undefined) {
    return callOnce(client, 'create-signing-policy', {
      body: { ...body, security_group_id: groupId },
      waitMs,
    });
  }
  // what was looked at above, or what the file was made from: 409 where somebody was faster
  const version = wanted.version ?? current.version;
  return callOnce(client, 'update-signing-policy', {
    params: { policy_id: current.id },
    body: { ...body, version },
    waitMs,
  });
}

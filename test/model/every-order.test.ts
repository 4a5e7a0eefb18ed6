/**
 * Bounded, but all that there is within the bounds: one freeze and one other request, two statements each, one signature, one
 * restart, one fork, in every order in which each step can do something.
 */
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { useModelTime } from './explore.js';
import { createModelVault, signRequest, type ModelVault } from './model-vault.js';
import { World } from './model-world.js';
import { brokenPromises } from './promises.js';

/** How many of the steps are put in order: all, or those of the short test. */
const STEPS = Number(process.env['MODEL_ORDERED_STEPS'] ?? 5);

interface Step {
  readonly name: string;
  /** Only the node of this party notices: two such steps of different parties are the same in either order. */
  readonly party?: 1 | 2 | 3;
  /** False where there was nothing to do. */
  go(world: World): Promise<boolean> | boolean;
}

function showMain(party: 1 | 2 | 3): Step {
  return {
    name: `party ${party} is shown the log`,
    party,
    async go(world) {
      const host = world.parties[party - 1]!;
      if (host.follower?.shown === world.main) return false;
      await world.show(host, world.main);
      return true;
    },
  };
}

const ALL_STEPS: readonly Step[] = [
  {
    name: 'a pair is asked for a signature',
    async go(world) {
      const [lead, partner] = world.parties.map(({ process }) => process);
      if (lead === undefined || partner === undefined) return false;
      partner.partner(world.batchFor(lead.self, partner.self, world.main));
      await world.settle();
      return true;
    },
  },
  {
    name: 'a freeze',
    go: (world) => appendNew(world, 'freeze the bot'),
  },
  {
    name: 'parties 2 and 3 are shown the log, their words placed and shown to a gateway, and 3.1 s pass',
    async go(world) {
      if (world.main.row.seq === world.options.vault.rows.length) return false;
      for (let round = 0; round < 3; round += 1) {
        for (const party of [1, 2]) await world.show(world.parties[party]!, world.main);
        for (const statement of world.loose.splice(0)) world.append(world.main, statement);
      }
      const [gateway] = world.gateways;
      await world.show(gateway!, world.main);
      world.ask(gateway!);
      await world.passTime(3_100);
      world.ask(gateway!);
      return true;
    },
  },
  {
    name: 'what is under way arrives',
    async go(world) {
      const message = world.messages.shift();
      if (message === undefined) return false;
      world.deliver(message);
      await world.settle();
      return true;
    },
  },
  showMain(1),
  {
    name: 'a request, with a branch beside the log that lacks it',
    go: (world) => appendNew(world, 'make a vault') && forkBesideLast(world),
  },
  {
    name: 'party 3 starts again with what it was shown',
    party: 3,
    async go(world) {
      const host = world.parties[2]!;
      await world.restart(host, host.follower?.shown ?? world.main);
      return true;
    },
  },
  showMain(2),
  showMain(3),
];

function appendNew(world: World, name: 'freeze the bot' | 'make a vault'): boolean {
  const request = signRequest(world.options.vault, name, Date.now());
  world.sign(request);
  world.append(world.main, request.body);
  return true;
}

/** Party 1 alone is shown it: it can never be shown the log again. */
async function forkBesideLast(world: World): Promise<boolean> {
  const request = signRequest(world.options.vault, 'make a vault', Date.now());
  world.sign(request);
  await world.show(world.parties[0]!, world.append(world.main.before!, request.body));
  return true;
}

let vault: ModelVault;

beforeAll(() => {
  vault = createModelVault();
  useModelTime();
});
afterAll(() => {
  jest.useRealTimers();
});

/** The steps that were made before one had nothing to do, and what they broke. */
async function make(order: readonly Step[]): Promise<{ made: number; broken: string[] }> {
  const world = new World({ vault, pick: () => 0, interruptions: 0 });
  await world.open();
  let made = 0;
  while (made < order.length && (await order[made]!.go(world))) made += 1;
  world.close();
  return { made, broken: brokenPromises(world) };
}

function* ordersOf(steps: readonly Step[], made: readonly Step[] = []): Generator<Step[]> {
  if (steps.length === 0) yield [...made];
  for (const step of steps) {
    if (isMirrored(made.at(-1), step)) continue;
    yield* ordersOf(
      steps.filter((other) => other !== step),
      [...made, step],
    );
  }
}

function isMirrored(before: Step | undefined, step: Step): boolean {
  return before?.party !== undefined && step.party !== undefined && before.party > step.party;
}

it(`keeps every promise in every order of ${STEPS} steps`, async () => {
  const cut = new Set<string>();
  const prefix = (order: readonly Step[], length: number) =>
    order
      .slice(0, length)
      .map(({ name }) => name)
      .join('; ');
  let explored = 0;
  for (const order of ordersOf(ALL_STEPS.slice(0, STEPS))) {
    if (order.some((_step, at) => cut.has(prefix(order, at + 1)))) continue;
    const { made, broken } = await make(order);
    explored += 1;
    expect({ order: prefix(order, made), broken }).toEqual({
      order: prefix(order, made),
      broken: [],
    });
    // what had nothing to do stands for all orders that begin in this way
    if (made < order.length) cut.add(prefix(order, made + 1));
  }
  process.stdout.write(`${explored} orders of ${STEPS} steps\n`);
  expect(explored).toBeGreaterThan(30);
}, 86_400_000);

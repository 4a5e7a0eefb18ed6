/** What may happen next, in the hands of a store, a Redis, a gateway and a liar that mean harm. */
import type { PartyNumber } from '@countersign/core/parties.js';
import { isUpTo, rowsUpTo, type Place } from './lying-store.js';
import { headOf, type GatewayHost, type PartyHost, type World } from './model-world.js';
import { REQUESTS, signRequest, type RequestName } from './model-vault.js';

export type Move = (world: World) => Promise<void> | void;

const REQUEST_NAMES = Object.keys(REQUESTS) as RequestName[];
const DAY_MS = 86_400_000;

function oneOf<Item>({ pick }: World, items: readonly Item[]): Item | undefined {
  return items.length === 0 ? undefined : items[pick(items.length)];
}

function isOnceIn({ pick }: World, times: number): boolean {
  return pick(times) === times - 1;
}

function takeOne<Item>(world: World, items: Item[]): Item | undefined {
  return items.length === 0 ? undefined : items.splice(world.pick(items.length), 1)[0];
}

/** Somebody signs a request: now, or with a date that is ahead. */
const signOne: Move = (world) => {
  const name = oneOf(world, REQUEST_NAMES)!;
  const ahead = isOnceIn(world, 8) ? 400_000 + world.pick(2) * DAY_MS : 0;
  world.note(`signed: ${name}${ahead > 0 ? ', dated ahead' : ''}`);
  world.sign(signRequest(world.options.vault, name, Date.now() + ahead));
};

const signAndAppend: Move = (world) => {
  void signOne(world);
  placeBody(world, world.main, world.requests.at(-1)!.body, world.requests.at(-1)!.name);
};

/** A request is placed that was signed now or long ago, perhaps for the second time, perhaps beside the log. */
const appendAny: Move = (world) => {
  const request = oneOf(world, world.requests);
  if (request !== undefined) placeBody(world, anyEnd(world), request.body, request.name);
};

const placeWord: Move = (world) => {
  const statement = oneOf(world, world.loose);
  if (statement !== undefined) placeBody(world, anyEnd(world), statement, 'a statement');
};

function placeBody(world: World, at: Place, body: Uint8Array, what: string): void {
  const isMain = at === world.main;
  const place = world.append(at, body);
  world.note(`${isMain ? '' : 'beside the log: '}${place.row.seq} is ${what}`);
}

function placeWords(world: World): void {
  for (const statement of world.loose.splice(0))
    placeBody(world, world.main, statement, 'a statement');
}

/** The main branch, or another, or a place from which another could branch off. */
function anyEnd(world: World): Place {
  const { store, main } = world;
  if (!isOnceIn(world, 3)) return main;
  let place = oneOf(world, store.ends)!;
  for (let back = world.pick(4); back > 0 && place.before !== undefined; back -= 1) {
    place = place.before;
  }
  return place;
}

const hosts = ({ parties, gateways }: World): (PartyHost | GatewayHost)[] => [
  ...parties,
  ...gateways,
];

const nameOf = (host: PartyHost | GatewayHost) =>
  'party' in host ? `party ${host.party}` : 'a gateway';

/** One node is shown a log: one that extends its own, unless the store does not mind being caught. */
const showOne: Move = async (world) => {
  const host = oneOf(world, hosts(world))!;
  const place = anyEnd(world);
  const { follower } = host;
  const isCaught = follower !== undefined && !isUpTo(headOf(world, follower), place);
  if (isCaught && !isOnceIn(world, 3)) return;
  world.note(
    `${nameOf(host)} is shown ${place.row.seq}${place === world.main ? '' : ' of another'}`,
  );
  await world.show(host, place);
};

/** For once nobody lies. */
const goWell: Move = async (world) => {
  world.note('all goes well');
  for (let round = 0; round < 2; round += 1) {
    for (const { go } of world.held.splice(0)) go();
    await world.settle();
    placeWords(world);
    for (const host of hosts(world)) {
      const { follower } = host;
      if (follower !== undefined && isUpTo(headOf(world, follower), world.main)) {
        await world.show(host, world.main);
      }
    }
  }
};

const showWords: Move = async (world) => {
  placeWords(world);
  const gateway = oneOf(world, world.gateways)!;
  world.note('statements go to a gateway');
  await world.show(gateway, world.main);
  world.ask(gateway);
};

const ask: Move = (world) => {
  for (const gateway of world.gateways) world.ask(gateway);
};

const restart: Move = async (world) => {
  const host = oneOf(world, hosts(world))!;
  const place = anyEnd(world);
  world.note(
    `${nameOf(host)} starts again with ${place.row.seq} of ${rowsUpTo(world.main).length}`,
  );
  await world.restart(host, place);
};

const passTime: Move = async (world) => {
  const ms = oneOf(world, [50, 250, 1_000, 1_000, 3_100, 30_000, 200_000, 900_000])!;
  world.note(`${ms} ms pass`);
  await world.passTime(ms);
};

/** A gateway wants a signature of a pair, over the head that one of them has. */
const startBatch: Move = async (world) => {
  const { liar } = world.options;
  const known = world.parties.flatMap(({ process }) => process ?? []);
  const head = oneOf(world, known)?.follower;
  if (head === undefined) return;
  const named = headOf(world, head);
  const liars = liar === undefined ? [] : [{ party: liar, name: 'liar', boot: '00'.repeat(16) }];
  const replicas = [...known.map(({ self }) => self), ...liars];
  const lead = takeOne(world, replicas);
  const partner = takeOne(world, replicas);
  if (lead === undefined || partner === undefined) return;
  const batch = world.batchFor(lead, partner, named);
  world.note(`batch ${batch.batchId}: lead ${lead.party}, partner ${partner.party}`);
  if (partner.party === liar) await world.lieAsPartner(batch);
  else known.find(({ self }) => self === partner)!.partner(batch);
  await world.settle();
};

const deliver: Move = async (world) => {
  const message = takeOne(world, world.messages);
  if (message === undefined) return;
  world.note(`${message.kind} of batch ${message.batch.batchId} arrives`);
  world.deliver(message);
  await world.settle();
};

const goOn: Move = async (world) => {
  const held = takeOne(world, world.held);
  if (held === undefined) return;
  world.note(`goes on: ${held.what}`);
  held.go();
  await world.settle();
};

/** The liar countersigns any place at any time, by any rules. */
const lie: Move = (world) => {
  const { liar } = world.options;
  if (liar === undefined) return;
  const at = Date.now() + (oneOf(world, [0, -70_000, -350_000, 59_000, 350_000, DAY_MS]) ?? 0);
  const place = anyEnd(world);
  world.note(`the liar countersigns ${place.row.seq} at ${at - Date.now()} ms from now`);
  world.lie(liar, place, at, 1 + world.pick(2));
};

const lieThatItObeys: Move = (world) => {
  const { liar } = world.options;
  if (liar === undefined) return;
  world.note('the liar says that it obeys');
  world.lieThatItObeys(liar satisfies PartyNumber, world.main);
};

/** The more often a move stands here the more often it is made. */
export const MOVES: readonly Move[] = [
  signOne,
  signAndAppend,
  signAndAppend,
  appendAny,
  placeWord,
  showOne,
  showOne,
  showOne,
  goWell,
  goWell,
  showWords,
  ask,
  restart,
  passTime,
  passTime,
  startBatch,
  startBatch,
  deliver,
  deliver,
  goOn,
  goOn,
  lie,
  lieThatItObeys,
];

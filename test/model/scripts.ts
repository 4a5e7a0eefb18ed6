/** For each rule the shortest way in which somebody gains by its absence. */
import { SILENT_AFTER_MS } from '../../gateway/dist/requests/obeyed-freeze.js';
import { signRequest, UNFREEZING_WAITS_S, type RequestName } from './model-vault.js';
import type { Place } from './lying-store.js';
import type { World } from './model-world.js';

export type Script = (world: World) => Promise<void>;

function request(world: World, name: RequestName, at: Place, aheadMs = 0): Place {
  const signed = signRequest(world.options.vault, name, Date.now() + aheadMs);
  world.sign(signed);
  return world.append(at, signed.body);
}

/** Every party has had its turn to speak. */
const TURN_MS = 50;

/** An entry that asks for nothing: no party has anything to say about it. */
const nothing = (world: World, at: Place, kind: number) => world.append(at, Buffer.from([kind]));

const partyOf = (world: World, party: number) =>
  world.parties.find((host) => host.party === party)!;

async function show(world: World, parties: readonly number[], place: Place): Promise<void> {
  for (const party of parties) await world.show(partyOf(world, party), place);
  await world.passTime(TURN_MS);
}

async function restart(world: World, parties: readonly number[], place: Place): Promise<void> {
  for (const party of parties) await world.restart(partyOf(world, party), place);
  await world.passTime(TURN_MS);
}

async function ask(world: World, lead: number, partner: number, named: Place): Promise<void> {
  const [one, other] = [lead, partner].map((party) => partyOf(world, party).process);
  if (one === undefined || other === undefined) return;
  other.partner(world.batchFor(one.self, other.self, named));
  await world.settle();
}

async function deliver(world: World): Promise<void> {
  for (const message of world.messages.splice(0)) world.deliver(message);
  await world.settle();
}

async function signWith(world: World, lead: number, partner: number, named: Place): Promise<void> {
  await ask(world, lead, partner, named);
  await deliver(world);
}

async function tell(world: World, gateway: number, end: Place): Promise<Place> {
  const last = world.loose.splice(0).reduce((at, statement) => world.append(at, statement), end);
  const host = world.gateways[gateway]!;
  await world.show(host, last);
  world.ask(host);
  return last;
}

export const answerTwice: Script = async (world) => {
  const base = world.main;
  const [one, other] = ['a', 'b'].map(() => request(world, 'make a vault', base));
  await show(world, [1, 2], one!);
  await tell(world, 0, one!);
  await restart(world, [1, 2], other!);
  await tell(world, 1, other!);
};

export const signTwiceWithRestart: Script = async (world) => {
  const base = world.main;
  const [one, other] = [nothing(world, base, 0), nothing(world, base, 99)];
  await show(world, [1, 2], one);
  await signWith(world, 1, 2, one);
  await restart(world, [1, 2], other);
  await signWith(world, 1, 2, other);
};

export const signTwice: Script = async (world) => {
  const base = world.main;
  const [one, other] = [nothing(world, base, 0), nothing(world, base, 99)];
  await show(world, [1, 2], one);
  await signWith(world, 1, 2, one);
  await show(world, [1, 2], other);
  await signWith(world, 1, 2, other);
};

export const signApart: Script = async (world) => {
  const base = world.main;
  const [one, other] = [nothing(world, base, 0), nothing(world, base, 99)];
  await show(world, [1], one);
  await show(world, [2, 3], other);
  await signWith(world, 1, 2, one);
  await signWith(world, 2, 3, other);
};

/** The part is at its lead, which the freeze does not reach, and whose clock is behind: to it the part is young. */
export const signWhatIsUnderWay: Script = async (world) => {
  partyOf(world, 1).skew = -2_000;
  await ask(world, 1, 2, world.main);
  const freeze = request(world, 'freeze the bot', world.main);
  await show(world, [2, 3], freeze);
  await show(world, [2, 3], await tell(world, 0, freeze));
  await tell(world, 0, world.main);
  await world.passTime(SILENT_AFTER_MS + 100);
  await tell(world, 0, world.main);
  await deliver(world);
};

export const freezeAndSign: Script = async (world) => {
  const freeze = request(world, 'freeze the bot', world.main);
  await show(world, [1, 2], freeze);
  await signWith(world, 1, 2, freeze);
};

export const freezeUnfreezeAndSign: Script = async (world) => {
  request(world, 'freeze the bot', world.main);
  const both = request(world, 'unfreeze the bot', world.main, -200_000);
  await show(world, [1, 2], both);
  // another gateway is told of the freeze before the parties know that it was judged
  await tell(world, 0, both);
  await world.passTime(SILENT_AFTER_MS + 100);
  await tell(world, 0, world.main);
  await signWith(world, 1, 2, both);
};

/** Somebody freezes what an unfreezing waits for: they are answered, and it must not be undone by what was asked before. */
export const freezeWhileUnfreezingWaits: Script = async (world) => {
  const judge = async (name: RequestName): Promise<Place> => {
    const place = request(world, name, world.main);
    await show(world, [1, 2, 3], place);
    return tell(world, 0, world.main);
  };
  await judge('let unfreezings wait');
  await judge('freeze the bot');
  await judge('unfreeze the bot');
  const frozen = await judge('freeze the bot');
  await show(world, [1, 2, 3], frozen);
  await tell(world, 0, world.main);
  await world.passTime(UNFREEZING_WAITS_S * 1_000 + 1_000);
  const late = await judge('make a vault');
  await show(world, [1, 2, 3], late);
  await signWith(world, 1, 2, late);
};

export const findFault: Script = async (world) => {
  const fault = request(world, 'find a fault of the judge', world.main);
  await show(world, [1, 2], fault);
  await tell(world, 0, fault);
};

export const bringOldRequest: Script = async (world) => {
  const old = request(world, 'make a vault', world.main, -400_000);
  await show(world, [1, 2], old);
  await tell(world, 0, old);
};

export const dateAhead: Script = async (world) => {
  const ahead = request(world, 'make a vault', world.main, 350_000);
  await show(world, [1], ahead);
  world.lie(3, ahead, Date.now() + 350_000, 1);
  await tell(world, 0, ahead);
};

export const nameOtherRules: Script = async (world) => {
  const place = request(world, 'make a vault', world.main);
  await show(world, [1], place);
  world.lie(3, place, Date.now(), 2);
  await tell(world, 0, place);
};

export const borrowWord: Script = async (world) => {
  const base = world.main;
  const unseen = request(world, 'make a vault', base);
  await show(world, [1], request(world, 'freeze the officer', base));
  world.lie(3, unseen, Date.now(), 1);
  await tell(world, 0, unseen);
};

import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  makeRecoveryKey,
  openRecoveryBox,
  recoveryBoxSchema,
  sealForRecovery,
  type RecoveryBox,
} from './recovery-box.js';

const CONTENT = Buffer.from('what only two of three may read');

interface RecoveryKey {
  readonly secret: string;
  readonly public: string;
}

let keys: RecoveryKey[];
let stranger: RecoveryKey;
let box: RecoveryBox;
beforeAll(async () => {
  keys = await Promise.all([1, 2, 3].map(() => makeRecoveryKey()));
  stranger = await makeRecoveryKey();
  box = await sealForRecovery(CONTENT, publicOf(keys), 2);
});

const publicOf = (some: readonly RecoveryKey[]) => some.map((key) => key.public);
const openBy = async (some: readonly RecoveryKey[], sealed = box) =>
  Buffer.from(
    await openRecoveryBox(
      sealed,
      some.map(({ secret }) => secret),
    ),
  );

describe('a box for two of three recovery keys', () => {
  it.each([
    [0, 1],
    [0, 2],
    [1, 2],
  ])('opens by keys %i and %i', async (one, other) => {
    expect(await openBy([keys[one]!, keys[other]!])).toEqual(CONTENT);
  });

  it('opens by all three, and with one beside them that is none of its own', async () => {
    expect(await openBy([stranger, ...keys])).toEqual(CONTENT);
  });

  it('does not open by one of them, nor by one and a stranger', async () => {
    for (const few of [[keys[0]!], [keys[0]!, stranger], [keys[0]!, keys[0]!], [stranger]]) {
      await expect(openBy(few)).rejects.toThrow('it takes 2 recovery keys of this backup');
    }
  });

  it('does not say that it takes fewer keys than it does', async () => {
    await expect(openBy([keys[0]!], { ...box, threshold: 1 })).rejects.toThrow();
  });

  it('does not open when its content was changed', async () => {
    const changed = Buffer.from(box.content, 'base64');
    changed[changed.length - 1]! ^= 1;
    const damaged = { ...box, content: changed.toString('base64') };
    await expect(openBy(keys, damaged)).rejects.toThrow('the backup is damaged');
  });

  it('shows nothing of its content, and reads back as it was written', async () => {
    const text = JSON.stringify(box);
    expect(text).not.toContain(CONTENT.toString('base64').slice(0, 20));
    expect(await openBy(keys, recoveryBoxSchema.parse(JSON.parse(text)))).toEqual(CONTENT);
  });
});

describe('making a box', () => {
  it('takes one key of one', async () => {
    const single = await sealForRecovery(CONTENT, publicOf(keys.slice(0, 1)), 1);
    expect(await openBy(keys.slice(0, 1), single)).toEqual(CONTENT);
    await expect(openBy([stranger], single)).rejects.toThrow('it takes 1 recovery keys');
  });

  it.each([0, 4, 1.5, Number.NaN])('takes no threshold of %p for three keys', async (threshold) => {
    await expect(sealForRecovery(CONTENT, publicOf(keys), threshold)).rejects.toThrow(
      'no such box',
    );
  });

  it('takes no key twice, and nothing that is no public key', async () => {
    const [one] = publicOf(keys);
    await expect(sealForRecovery(CONTENT, [one!, one!], 2)).rejects.toThrow('named twice');
    const wrong = sealForRecovery(CONTENT, [one!, 'age1nonsense'], 2);
    await expect(wrong).rejects.toThrow('age1nonsense: no public recovery key');
  });

  it('says which file holds no recovery key', async () => {
    await expect(openRecoveryBox(box, ['a letter'])).rejects.toThrow('holds no recovery key');
  });
});

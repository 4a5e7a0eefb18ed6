import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  cloudVariables,
  type ProviderSettings,
} from '@countersign/runtime/settings/kek-settings.js';
import { startFakeAwsKms, type FakeAwsKms } from '../../../../test/support/fake-aws-kms.ts';
import {
  startFakeGoogleKms,
  type FakeGoogleKms,
} from '../../../../test/support/fake-google-kms.ts';
import { drill } from '../../../../test/support/drills.ts';
import type { FakeHttp } from '../../../../test/support/fake-http.ts';
import { startFakeKeyVault, type FakeKeyVault } from '../../../../test/support/fake-key-vault.ts';
import { randomSecret } from '../sealing/share-seal.js';
import { crc32c } from './crc32c.js';
import { openKek } from './open-kek.js';
import { makeWrappedKek, readProviderSettings } from './wrapped-kek.js';

const CONTEXT = Buffer.from('a context');
const STRANGERS_TEXT = /secret of a stranger|111122223333:user/;

type Fake = FakeHttp & { readonly environment: Readonly<Record<string, string>> };
type Document = { wrapped: string; kek_id: string; by: Record<string, string> };

let directory: string;
let given: NodeJS.ProcessEnv;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'countersign-cloud-'));
});
afterAll(() => rmSync(directory, { recursive: true }));
beforeEach(() => {
  given = { ...process.env };
});
afterEach(() => {
  for (const name of Object.keys(process.env)) if (!(name in given)) delete process.env[name];
});

function write(name: string, content: string): string {
  const path = join(directory, name);
  writeFileSync(path, content, { mode: 0o600 });
  return path;
}
const settingsOf = (settings: object): ProviderSettings =>
  readProviderSettings(write('settings', JSON.stringify(settings)));
const documentOf = (path: string) => JSON.parse(readFileSync(path, 'utf8')) as Document;
const changed = (path: string, change: object) =>
  write('changed', JSON.stringify({ ...documentOf(path), ...change }));

/** What holds for each of them: as every provider, and in its own cloud's words. */
interface Cloud<Of extends Fake> {
  start(): Promise<Of>;
  settings(fake: Of): object;
  /** The same provider's settings with another key. */
  elsewhere(fake: Of): object;
  readonly name: string;
  /** What it says of a wrong context, of no right, of too many calls, and of a fault of its own. */
  readonly says: Readonly<Record<'otherContext' | 'noRight' | 'tooOften' | 'faulty', string>>;
  refuse(fake: Of, why: 'noRight' | 'tooOften'): void;
}

const AWS: Cloud<FakeAwsKms> = {
  start: startFakeAwsKms,
  settings: ({ address, keys }) => ({ provider: 'aws', key: keys[0], endpoint: address }),
  elsewhere: ({ address, keys }) => ({ provider: 'aws', key: keys[1], endpoint: address }),
  name: 'AWS KMS key arn:aws:kms:eu-central-1:111122223333:key/party-1: ',
  says: {
    otherContext: 'it does not decrypt this: another key, or another context',
    noRight: 'not let in: without the right to this key',
    tooOften: 'it is asked too often',
    faulty: 'no answer (',
  },
  refuse: (fake, why) => {
    fake.refuses = why === 'noRight' ? 'AccessDeniedException' : 'ThrottlingException';
  },
};

const GOOGLE: Cloud<FakeGoogleKms> = {
  start: startFakeGoogleKms,
  settings: ({ address, keys }) => ({ provider: 'google', key: keys[0], endpoint: address }),
  elsewhere: ({ address, keys }) => ({ provider: 'google', key: keys[1], endpoint: address }),
  name: 'Google Cloud KMS key projects/desk/',
  says: {
    otherContext: 'it does not decrypt this: another key, a version that is gone, or another',
    noRight: 'not let in: without the right to this key',
    tooOften: 'it is asked too often',
    faulty: 'status 503',
  },
  refuse: (fake, why) => {
    fake.refuses = why === 'noRight' ? 403 : 429;
  },
};

const AZURE: Cloud<FakeKeyVault> = {
  start: startFakeKeyVault,
  settings: ({ keys }) => ({ provider: 'azure', key: keys[0] }),
  elsewhere: ({ keys }) => ({ provider: 'azure', key: keys[1] }),
  name: 'Key Vault key http://127.0.0.1:',
  says: {
    otherContext: 'it does not decrypt this: another context',
    noRight: 'not let in: without the right to this key',
    tooOften: 'it is asked too often',
    faulty: 'status 503',
  },
  refuse: (fake, why) => {
    fake.refuses = why === 'noRight' ? 403 : 429;
  },
};

function describeCloud<Of extends Fake>(
  title: string,
  cloud: Cloud<Of>,
  more: (of: () => Of) => void,
) {
  describe(title, () => {
    let fake: Of;

    beforeEach(async () => {
      fake = await cloud.start();
      Object.assign(process.env, fake.environment);
    });
    afterEach(() => fake.stop().catch(() => undefined));

    const newKek = async (name: string, party: 1 | 2 = 1) =>
      write(name, await makeWrappedKek(settingsOf(cloud.settings(fake)), party));

    it('opens to the same key each time, needs the cloud no more then', async () => {
      const path = await newKek('one');
      const [first, again] = [await openKek(path, 1), await openKek(path, 1)];
      await fake.stop();
      const dek = randomSecret(32);
      expect(again.unwrap(first.wrap(dek, CONTEXT), CONTEXT)).toEqual(dek);
      expect(first.id).toBe(documentOf(path).kek_id);
    });

    it('opens neither for another party, nor as another KEK, nor by another key', async () => {
      const [one, two] = [await newKek('one'), await newKek('two')];
      const { otherContext } = cloud.says;
      await expect(openKek(one, 2)).rejects.toThrow(`${cloud.name}`);
      await expect(openKek(one, 2)).rejects.toThrow(otherContext);
      const swapped = changed(one, { wrapped: documentOf(two).wrapped });
      await expect(openKek(swapped, 1)).rejects.toThrow(otherContext);
      const moved = changed(one, { by: cloud.elsewhere(fake) });
      await expect(openKek(moved, 1)).rejects.toThrow('it does not decrypt this: another key');
    });

    it.each([
      ['nonsense', 1],
      ['floods', 1],
      ['redirects', 3],
      ['fails', 3],
    ] as const)(
      'that %s opens nothing, says whose fault it is, and is asked %i times at most',
      async (fault, most) => {
        const path = await newKek('one');
        const before = fake.requests.length;
        fake.fault = fault;
        const error = (await openKek(path, 1).catch((one: unknown) => one)) as Error;
        expect(error).toMatchObject({ isFinal: false });
        expect(error.message).toContain(cloud.name);
        expect(error.message).not.toMatch(STRANGERS_TEXT);
        const asked = fake.requests.slice(before).filter(({ method }) => method === 'POST');
        expect(asked.length).toBeLessThanOrEqual(most);
        if (fault === 'fails') expect(error.message).toContain(cloud.says.faulty);
        if (fault === 'floods') expect(error.message).toContain('its answer is too long');
      },
    );

    it.each(['noRight', 'tooOften'] as const)(
      'that says %s is understood, and not repeated',
      async (why) => {
        const path = await newKek('one');
        cloud.refuse(fake, why);
        const error = (await openKek(path, 1).catch((one: unknown) => one)) as Error;
        expect(error.message).toContain(cloud.says[why]);
        expect(error.message).not.toMatch(STRANGERS_TEXT);
      },
    );

    it('is asked again where it may answer then', async () => {
      const path = await newKek('one');
      fake.fault = 'fails once';
      expect((await openKek(path, 1)).id).toBe(documentOf(path).kek_id);
    });

    // the others wait as the transit engine does
    const once = cloud.name.startsWith('AWS') ? it : drill;
    once(
      'that answers nothing is not waited for without end',
      async () => {
        const path = await newKek('one');
        fake.fault = 'hangs';
        await expect(openKek(path, 1)).rejects.toThrow('no answer (TimeoutError)');
      },
      40_000,
    );

    it('that is away is told from one that refuses', async () => {
      const path = await newKek('one');
      await fake.stop();
      await expect(openKek(path, 1)).rejects.toThrow('(ECONNREFUSED)');
    });

    more(() => fake);
  });
}

describeCloud('a KEK under a key of AWS KMS', AWS, (fakeOf) => {
  const lying = async (lie: FakeAwsKms['lie']) => {
    const path = write('one', await makeWrappedKek(settingsOf(AWS.settings(fakeOf())), 1));
    fakeOf().lie = lie;
    return openKek(path, 1);
  };

  it.each([
    ['half', 'it answered another key than aws:'],
    ['context', 'it answered another key than aws:'],
    ['key', 'it answered for another key'],
    ['algorithm', 'it answered by another algorithm'],
  ] as const)('finds out a service that lies about the %s', async (lie, what) => {
    await expect(lying(lie)).rejects.toThrow(what);
  });

  it('says which party and which KEK, so that rights can be given by it', async () => {
    const { kek_id } = JSON.parse(
      await makeWrappedKek(settingsOf(AWS.settings(fakeOf())), 2),
    ) as Document;
    expect(JSON.parse(fakeOf().requests.at(-1)!.body)).toMatchObject({
      EncryptionContext: { 'countersign-party': '2', 'countersign-kek': kek_id },
    });
  });

  it('opens after the service has rotated its key', async () => {
    const path = write('one', await makeWrappedKek(settingsOf(AWS.settings(fakeOf())), 1));
    fakeOf().rotate();
    expect((await openKek(path, 1)).id).toBe(documentOf(path).kek_id);
  });

  it('has its requests signed with the credentials of this process, or says so', async () => {
    process.env['AWS_SECRET_ACCESS_KEY'] = 'of somebody else';
    const making = makeWrappedKek(settingsOf(AWS.settings(fakeOf())), 1);
    await expect(making).rejects.toThrow('not let in: wrong credentials');
  });

  it('is not asked in the clear, whatever the environment says', async () => {
    process.env['AWS_ENDPOINT_URL_KMS'] = 'http://kms.example';
    const { endpoint: _, ...bare } = AWS.settings(fakeOf()) as Record<string, string>;
    const making = makeWrappedKek(settingsOf(bare), 1);
    await expect(making).rejects.toThrow('its endpoint must be https');
  });
});

describeCloud('a KEK under a key of Google Cloud KMS', GOOGLE, (fakeOf) => {
  const settings = () => settingsOf(GOOGLE.settings(fakeOf()));

  it.each([
    ['half', 'it answered another key than google:'],
    ['context', 'it answered another key than google:'],
    ['checksum', 'its answer was damaged on the way'],
  ] as const)('finds out a service that lies about the %s', async (lie, what) => {
    const path = write('one', await makeWrappedKek(settings(), 1));
    fakeOf().lie = lie;
    await expect(openKek(path, 1)).rejects.toThrow(what);
  });

  it.each([
    ['key', 'it answered for another key'],
    ['checksum', 'its answer was damaged on the way'],
    ['plaintext', 'its answer has another form'],
    ['authenticated data', 'its answer has another form'],
  ] as const)('is not made by one that lies about the %s', async (lie, what) => {
    fakeOf().lie = lie;
    await expect(makeWrappedKek(settings(), 1)).rejects.toThrow(what);
  });

  it('opens after the service has a newer version', async () => {
    const path = write('one', await makeWrappedKek(settings(), 1));
    fakeOf().rotate();
    expect((await openKek(path, 1)).id).toBe(documentOf(path).kek_id);
  });

  it('has the checksum that Google means', () => {
    expect(crc32c(Buffer.from('123456789'))).toBe(0xe3069283);
  });
});

describeCloud('a KEK under a key of Azure Key Vault', AZURE, (fakeOf) => {
  const settings = () => settingsOf(AZURE.settings(fakeOf()));

  it.each([
    ['half', 'it answered another key than azure:'],
    ['context', 'it does not decrypt this: another context'],
    ['key', 'it answered for another key'],
  ] as const)('finds out a service that lies about the %s', async (lie, what) => {
    const path = write('one', await makeWrappedKek(settings(), 1));
    fakeOf().lie = lie;
    await expect(openKek(path, 1)).rejects.toThrow(what);
  });

  it('does not open from what anybody wrapped who knows the public half', async () => {
    const path = write('one', await makeWrappedKek(settings(), 1));
    for (const size of [32, 64, 96]) {
      const wrapped = fakeOf().wrapByAnybody(fakeOf().keys[0], randomSecret(size));
      await expect(openKek(changed(path, { wrapped }), 1)).rejects.toThrow('another context');
    }
  });
});

describe('what a thread is given of the environment', () => {
  const others = { DATABASE_URL: 'x', REDIS_URL: 'x', PIN_FILE: 'x', PATH: '/bin' };

  it('leads to a cloud, and to nothing else; nothing has a library log what it sends', () => {
    const logging = { GOOGLE_SDK_NODE_LOGGING: '*', AZURE_LOG_LEVEL: 'verbose' };
    const given = { ...others, ...logging, AWS_ROLE_ARN: 'arn', AZURE_TENANT_ID: undefined };
    expect(cloudVariables(given)).toEqual({ AWS_ROLE_ARN: 'arn', AZURE_TOKEN_CREDENTIALS: 'prod' });
    expect(cloudVariables(others)).toEqual({ AZURE_TOKEN_CREDENTIALS: 'prod' });
  });
});

describe('settings of a cloud', () => {
  const arn = 'arn:aws:kms:eu-central-1:111122223333:key/1';
  it.each([
    [{ provider: 'aws', key: arn.replace('key/1', 'alias/party') }, 'must be the ARN of a key'],
    [{ provider: 'aws', key: arn, endpoint: 'http://kms.example' }, 'must be https'],
    [{ provider: 'aws', key: arn, secret_access_key: 'x' }, 'secret_access_key'],
    [{ provider: 'google', key: 'projects/a' }, 'must be projects/'],
    [{ provider: 'azure', key: 'https://a.vault.azure.net/keys/b' }, 'must be https://VAULT/keys'],
    [
      { provider: 'azure', key: `http://a.vault.azure.net/keys/b/${'1'.repeat(32)}` },
      'must be https',
    ],
  ])('are not %p', (settings, reason) => {
    expect(() => settingsOf(settings)).toThrow(reason);
  });

  it.each([
    arn.replace('arn:aws', 'arn:aws-us-gov'),
    arn.replace('key/1', 'key/mrk-0123456789abcdef'),
  ])('may be %s', (key) => {
    expect(settingsOf({ provider: 'aws', key })).toMatchObject({ key });
  });
});

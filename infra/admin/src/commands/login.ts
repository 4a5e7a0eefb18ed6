/** `countersign login`: checks a credential, and remembers where it is. */
import { resolve } from 'node:path';
import { readPinnedVault } from '@countersign/client/local-files.js';
import { openCallerClient } from '@countersign/client/caller-client.js';
import {
  UsageError,
  type Command,
  type Given,
  type Outcome,
  type Surroundings,
} from '../tool/command.js';
import { printable } from '../tool/output.js';
import { sendOrRefused, valueOrRefused } from './caller.js';
import { PROFILE_OPTION, profileName, saveProfile, type Profile } from './profile.js';

export const LOGIN_COMMAND: Command = {
  words: 'login',
  about: 'Check a credential, and remember where it is.',
  details: `Writes $XDG_CONFIG_HOME/countersign/profiles.json (mode 0600), which names files and holds no secret. It asks the
service who the credential belongs to, by a signed request.`,
  options: [
    {
      name: 'url',
      value: 'URL',
      about: 'Of the gateway, e.g. https://vault.example.com.',
      isRequired: true,
    },
    { name: 'api-key-file', value: 'FILE', about: 'Your API key, mode 0600.', isRequired: true },
    {
      name: 'private-key-file',
      value: 'FILE',
      about: 'Your own Ed25519 key, PEM, mode 0600.',
      isRequired: true,
    },
    {
      name: 'genesis',
      value: 'FILE',
      about:
        "What `countersign genesis` printed on a party's machine, for what is checked offline.",
    },
    PROFILE_OPTION,
  ],
  examples: [
    'login --url https://vault.example.com --api-key-file api-key --private-key-file key.pem',
    'login --url http://127.0.0.1:8080 --api-key-file a --private-key-file b.pem --profile test',
  ],
  run: login,
};

async function login(given: Given, io: Surroundings): Promise<Outcome> {
  const url = given.one('url');
  const files = {
    url,
    apiKeyFile: resolve(given.one('api-key-file')),
    privateKeyFile: resolve(given.one('private-key-file')),
  };
  const genesis = given.maybe('genesis');
  if (genesis !== undefined) readPinnedVault(genesis);
  const name = profileName(given);
  // `__proto__` would be none of its own
  if (!/^[a-z0-9][a-z0-9_.-]{0,63}$/i.test(name)) throw new UsageError('--profile is a short name');
  const user = await ask(files);
  const profile: Profile = {
    url,
    user: printable(user.display_name),
    api_key_file: files.apiKeyFile,
    private_key_file: files.privateKeyFile,
    ...(genesis !== undefined && { genesis_file: resolve(genesis) }),
  };
  const file = await saveProfile(name, profile, io.environment);
  return {
    value: { profile: name, file, user_id: user.id, ...profile },
    text: `Logged in at ${url} as ${profile.user} (${user.id}); profile ${name} in ${file}.\n`,
  };
}

/** A read that is signed all the same is checked: the private key is the caller's, too. */
async function ask(files: Parameters<typeof openCallerClient>[0]) {
  const client = openCallerClient(files);
  try {
    const user = valueOrRefused(await client.call('whoami'));
    await sendOrRefused({ client }, { method: 'GET', target: '/v1/whoami' });
    return user;
  } finally {
    client.close();
  }
}

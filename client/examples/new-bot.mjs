// A machine user with a key of its own: node client/examples/new-bot.mjs NAME
//
// writes NAME.pem and NAME.json (mode 0600) into the folder of the vault, the second for `--as` of call.mjs, and prints the user's id.
import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { call, HOME } from './call.mjs';

const [name] = process.argv.slice(2);
const { publicKey, privateKey } = generateKeyPairSync('ed25519');
const body = {
  type: 'machine',
  display_name: name,
  public_key: publicKey.export({ format: 'jwk' }).x,
};
const user = await call('POST', '/v1/users', JSON.stringify(body));
if (user.api_key === undefined) throw new Error(user.err_msg);

const file = resolve(join(HOME, `${name}.pem`));
const kept = { user_id: user.id, api_key: user.api_key, private_key_file: file };
writeFileSync(file, privateKey.export({ format: 'pem', type: 'pkcs8' }), { mode: 0o600 });
writeFileSync(join(HOME, `${name}.json`), `${JSON.stringify(kept, null, 2)}\n`, { mode: 0o600 });
console.log(user.id);

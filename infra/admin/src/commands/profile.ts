/** Who calls, and where: what `countersign login` remembers. It names files and holds no secret itself. */
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { readPrivate } from '@countersign/client/local-files.js';
import { replaceDurably } from '@countersign/runtime/process/replace-durably.js';
import * as s from '@countersign/core/shapes.js';
import { UsageError, type Given, type Option, type Surroundings } from '../tool/command.js';

const profileSchema = s.strictObject({
  url: s.string(),
  /** For people; as the service said. */
  user: s.string(),
  api_key_file: s.string(),
  private_key_file: s.string(),
  /** What `countersign genesis` prints on a party's machine. */
  genesis_file: s.string().optional(),
});

export type Profile = s.OutputOf<typeof profileSchema>;

const profilesSchema = s.record(s.string(), profileSchema);

export const PROFILE_OPTION: Option = {
  name: 'profile',
  value: 'NAME',
  about: 'Who calls, and where, as `countersign login` remembered it; `default` when absent.',
};

type Environment = Surroundings['environment'];

export function profilesFile(environment: Environment): string {
  const config = environment['XDG_CONFIG_HOME'];
  // a relative one is to be ignored (XDG Base Directory Specification)
  const folder = config?.startsWith('/') === true ? config : join(homedir(), '.config');
  return join(folder, 'countersign/profiles.json');
}

export function profileName(given: Given): string {
  return given.maybe('profile') ?? 'default';
}

/** Throws UsageError where others could have changed it. */
export function findProfile(given: Given, environment: Environment): Profile | undefined {
  return readProfiles(environment)[profileName(given)];
}

/** Throws UsageError where there is none, too. */
export function readProfile(given: Given, environment: Environment): Profile {
  const profile = findProfile(given, environment);
  if (profile !== undefined) return profile;
  throw new UsageError(
    `there is no profile ${profileName(given)}: run \`countersign login\` first`,
  );
}

export async function saveProfile(
  name: string,
  profile: Profile,
  environment: Environment,
): Promise<string> {
  const file = profilesFile(environment);
  const profiles = { ...readProfiles(environment), [name]: profile };
  await replaceDurably(file, `${JSON.stringify(profiles, null, 2)}\n`);
  return file;
}

function readProfiles(environment: Environment): Readonly<Record<string, Profile>> {
  const file = profilesFile(environment);
  if (!existsSync(file)) return {};
  try {
    return profilesSchema.parse(JSON.parse(readPrivate(file).toString('utf8')));
  } catch (error) {
    const why = error instanceof Error && error.name === 'LocalError' ? error.message : undefined;
    throw new UsageError(why ?? `${file} is not what \`countersign login\` writes`);
  }
}

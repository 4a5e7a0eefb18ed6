/** Party 3 gone bad, in a process of its own: see flooding-party.mjs. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { TestVault } from './test-vault.ts';

const PROGRAM = fileURLToPath(new URL('flooding-party.mjs', import.meta.url));

export interface FloodCount {
  readonly messages: number;
  /** Contributions under the ids of batches that others were asked for. */
  readonly underRealBatches: number;
}

export interface FloodPace {
  /** Messages of all kinds together. */
  readonly perSecond: number;
  /** On their way at a time. */
  readonly atOnce: number;
  /** The same work of this party and of Redis, and not one message for anybody. */
  readonly aimsAtNobody?: boolean;
}

export interface FloodingParty {
  readonly pid: number;
  begin(pace: FloodPace): void;
  count(): Promise<FloodCount>;
  /** It goes on being there, and says nothing. */
  end(): Promise<FloodCount>;
  close(): Promise<void>;
}

/** The party's own process must have ended. */
export async function openFloodingParty(vault: TestVault): Promise<FloodingParty> {
  const { prepared, servers } = vault;
  const child = fork(PROGRAM, [], {
    execArgv: [],
    env: {
      PATH: process.env['PATH'],
      PARTY: '3',
      DATABASE_URL: servers.roleUrls.party_3,
      REDIS_URL: servers.redis.url,
      EVIDENCE_KEY_FILE: prepared.evidenceKeyFile,
      KEY_DIR: prepared.keyDir(3),
      GENESIS_FILE: prepared.genesisFile,
    },
  });
  await heard(child, 'ready');
  return {
    pid: child.pid!,
    begin: (pace) => void child.send({ event: 'flood', ...pace }),
    async count() {
      const answer = heard(child, 'count');
      child.send({ event: 'count' });
      return answer;
    },
    async end() {
      const done = heard(child, 'done');
      child.send({ event: 'stop' });
      return done;
    },
    async close() {
      if (child.exitCode !== null) return;
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    },
  };
}

function heard(child: ChildProcess, event: string): Promise<FloodCount> {
  return new Promise((resolve, reject) => {
    const onExit = () => reject(new Error('the flooding party ended'));
    const onMessage = (message: { event: string; sent: FloodCount }) => {
      if (message.event !== event) return;
      child.off('exit', onExit);
      child.off('message', onMessage);
      resolve(message.sent);
    };
    child.on('exit', onExit);
    child.on('message', onMessage);
  });
}

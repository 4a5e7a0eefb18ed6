/** Another system, started by a command, under the same load as the vault (`peer-endpoint.ts` has the contract). */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { runLoad } from './load.js';
import { parsePeerLine, type PeerEndpoint } from './peer-endpoint.js';
import { sliceOf, type Reference } from './references.js';

const START_TIMEOUT_MS = 60_000;

export async function openPeer(command: string): Promise<Reference> {
  // a group of its own, so that it ends with all that it started
  const child = spawn(command, {
    shell: true,
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const close = () => {
    if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid!, 'SIGTERM');
  };
  try {
    return { ...peerAt(await endpointOf(child), child.pid!), close };
  } catch (error) {
    close();
    throw error;
  }
}

function peerAt(endpoint: PeerEndpoint, pid: number): Omit<Reference, 'close'> {
  const { host, port, request, pids } = endpoint;
  const groups = { peer: { pids: [pid, ...pids], withChildren: true } };
  return {
    name: 'peer',
    async slice({ connections, seconds, rate }) {
      const job = { kind: 'sign', callers: [], targets: [], host, port, peer: request } as const;
      const load = await runLoad({ ...job, connections, seconds, rate }, { groups });
      const { '200': good = 0, ...others } = load.statuses;
      if (Object.keys(others).length > 0) {
        throw new Error(`the peer answered ${good} times 200, and ${JSON.stringify(others)}`);
      }
      return sliceOf(load);
    },
  };
}

async function endpointOf(child: ChildProcess): Promise<PeerEndpoint> {
  const lines = createInterface(child.stdout!);
  const signal = AbortSignal.timeout(START_TIMEOUT_MS);
  const line = once(lines, 'line', { signal });
  const ended = once(child, 'exit', { signal }).then(([code]) => {
    throw new Error(`the peer's command ended (${String(code)}) without a line`);
  });
  ended.catch(() => undefined);
  const [first] = (await Promise.race([line, ended])) as [string];
  child.stdout!.resume(); // whatever else it says must not stop it
  return parsePeerLine(first);
}

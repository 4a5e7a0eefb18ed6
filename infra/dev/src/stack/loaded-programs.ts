/** Programs that load while what they need is not there yet: the databases, keys, schemas. */
import { bundledProgram } from './programs.js';
import { loadProgram, type ForkedProgram } from './vault-process.js';

type Workspace = Parameters<typeof bundledProgram>[0];

export interface LoadedPrograms {
  /** A process that has begun to load that program, to be started by whoever takes it; undefined where none is left. */
  take(workspace: Workspace): ForkedProgram | undefined;
  /** Ends those that nobody has taken. */
  stop(): Promise<void>;
}

/** One process for each of `workspaces`. They end by themselves when this process is gone. */
export function loadPrograms(
  workspaces: readonly Workspace[],
  onOutput: (line: string) => void,
): LoadedPrograms {
  const waiting = workspaces.map((workspace) => ({
    workspace,
    forked: loadProgram(bundledProgram(workspace, 'main'), onOutput),
  }));
  return {
    take(workspace) {
      const index = waiting.findIndex((one) => one.workspace === workspace);
      return index < 0 ? undefined : waiting.splice(index, 1)[0]!.forked;
    },
    async stop() {
      for (const { forked } of waiting) forked.child.kill();
      await Promise.all(waiting.splice(0).map(({ forked }) => forked.exited));
    },
  };
}

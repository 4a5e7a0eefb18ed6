/** A vault's processes as somebody has them who may end and start each of them at will. */
import { PARTY_NUMBERS, type PartyNumber } from '@countersign/core/parties.js';
import {
  startGateway,
  startSigner,
  waitHealthy,
  type StackOptions,
} from '../../infra/dev/dist/stack/open-stack.js';
import type { VaultProcess } from '../../infra/dev/dist/stack/vault-process.js';
import { eventually, type TestVault } from './test-vault.ts';

export interface RestartableNodes {
  readonly gateway: VaultProcess;
  party(party: PartyNumber): VaultProcess;
  /** At the same address and with the same pin as before. */
  startGateway(options?: StackOptions): Promise<void>;
  /** The party's primary replica, with its pin. */
  startParty(party: PartyNumber, options?: StackOptions): Promise<void>;
  stopParties(...parties: PartyNumber[]): Promise<void>;
  /** A party's primary replica, or the gateway, ended without a word and started again. */
  killAndStart(node: PartyNumber | 'gateway'): Promise<void>;
  stopAll(): Promise<void>;
  /** Each node that does not run, until the vault is healthy. */
  startAll(): Promise<void>;
  restartAll(): Promise<void>;
  /** Until the gateway's health says that so many parties are there. */
  untilAlive(count: number): Promise<void>;
  /** Everything that runs, as something in the log of each of them. */
  untilLogged(nodes: readonly VaultProcess[], text: string): Promise<void>;
}

export function restartableNodes(vault: TestVault): RestartableNodes {
  const { port } = vault.stack.gateway;
  let gateway = vault.stack.gateway;
  const parties = new Map(PARTY_NUMBERS.map((one) => [one, vault.stack.signers[one - 1]!]));
  const running = () => [gateway, ...parties.values()];

  const nodes: RestartableNodes = {
    get gateway() {
      return gateway;
    },
    party: (party) => parties.get(party)!,
    async startGateway(options = vault.options) {
      gateway = await startGateway(options, port!, 'gateway');
    },
    async startParty(party, options = vault.options) {
      parties.set(party, await startSigner(options, party));
    },
    async stopParties(...which) {
      await Promise.all(which.map((party) => parties.get(party)!.stop()));
    },
    async killAndStart(which) {
      const node = which === 'gateway' ? gateway : parties.get(which)!;
      node.kill('SIGKILL');
      await node.exited;
      await (which === 'gateway' ? nodes.startGateway() : nodes.startParty(which));
    },
    async stopAll() {
      await Promise.all(running().map((node) => node.stop()));
    },
    async startAll() {
      const down = PARTY_NUMBERS.filter((party) => parties.get(party)!.hasExited);
      await Promise.all([
        ...(gateway.hasExited ? [nodes.startGateway()] : []),
        ...down.map((party) => nodes.startParty(party)),
      ]);
      await waitHealthy(vault.baseUrl);
      await nodes.untilAlive(PARTY_NUMBERS.length);
    },
    async restartAll() {
      await nodes.stopAll();
      await nodes.startAll();
    },
    async untilAlive(count) {
      await eventually(async () => {
        const response = await fetch(`${vault.baseUrl}/health`);
        const { checks } = (await response.json()) as { checks: { signers: object } };
        return Object.values(checks.signers).filter((one) => one === 'ok').length === count;
      });
    },
    async untilLogged(which, text) {
      await eventually(() => which.every((node) => node.output().includes(text)));
    },
  };
  return nodes;
}

/** A store's address that can be made to refuse everybody, or to answer nobody. */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export interface TcpProxy {
  /** The store's URL, by way of this proxy. */
  readonly url: string;
  /** Every connection is broken, and every new one at once. */
  refuse(): void;
  /** Connections stay open, new ones are taken, and nothing comes back. */
  silence(): void;
  /** As at first; connections that were silenced are broken. */
  heal(): void;
  close(): Promise<void>;
}

type Mode = 'open' | 'refusing' | 'silent';

export async function openTcpProxy(storeUrl: string): Promise<TcpProxy> {
  const store = new URL(storeUrl);
  const sockets = new Set<Socket>();
  let mode: Mode = 'open';

  function keep(socket: Socket): Socket {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => undefined); // the other side is told by the close
    return socket;
  }

  function join(from: Socket, to: Socket): void {
    from.on('data', (bytes) => mode === 'open' && to.write(bytes));
    from.on('close', () => to.destroy());
  }

  function breakAll(): void {
    for (const socket of sockets) socket.destroy();
  }

  const server = createServer((near) => {
    keep(near);
    if (mode === 'refusing') return void near.destroy();
    if (mode === 'silent') return void near.resume();
    const far = keep(connect(Number(store.port), store.hostname));
    join(near, far);
    join(far, near);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(storeUrl);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);

  return {
    url: url.toString(),
    refuse() {
      mode = 'refusing';
      breakAll();
    },
    silence() {
      mode = 'silent';
    },
    heal() {
      mode = 'open';
      breakAll();
    },
    async close() {
      breakAll();
      server.close();
      await once(server, 'close');
    },
  };
}

/**
 * A store as it looks from far away: a proxy that hands every byte on later, in either direction. The kernel's own delays
 * (`tc netem`) are not in every kernel.
 */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export interface FarAway {
  readonly url: string;
  close(): Promise<void>;
}

/** `roundTripMs`: half of it passes in each direction. */
export async function openFarAway(storeUrl: string, roundTripMs: number): Promise<FarAway> {
  const store = new URL(storeUrl);
  const sockets = new Set<Socket>();
  const later = (work: () => void) => setTimeout(work, roundTripMs / 2);

  function join(from: Socket, to: Socket): void {
    sockets.add(from);
    from.setNoDelay(true);
    from.on('error', () => undefined);
    from.on('data', (bytes) => later(() => to.destroyed || to.write(bytes)));
    from.on('end', () => later(() => to.end()));
    from.on('close', () => {
      sockets.delete(from);
      later(() => to.destroy());
    });
  }

  const server = createServer((near) => {
    const far = connect(Number(store.port), store.hostname);
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
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** A database's address under which the answer to one statement gets lost: it is carried out, and the connection breaks. */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export interface LostAnswer {
  /** The database's URL, by this way. */
  readonly url: string;
  close(): Promise<void>;
}

/** `statement`: what stands in the text of that statement. */
export async function openLostAnswer(databaseUrl: string, statement: string): Promise<LostAnswer> {
  const database = new URL(databaseUrl);
  const server = createServer((near) => loseAnswer(near, database, statement));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(databaseUrl);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.toString(),
    async close() {
      server.close();
      await once(server, 'close');
    },
  };
}

function loseAnswer(near: Socket, { port, hostname }: URL, statement: string): void {
  const far = connect(Number(port), hostname);
  let isAsked = false;
  near.on('data', (bytes) => {
    isAsked ||= bytes.includes(statement);
    far.write(bytes);
  });
  far.on('data', (bytes) => {
    if (isAsked) near.destroy();
    else near.write(bytes);
  });
  for (const [one, other] of [
    [near, far],
    [far, near],
  ] as const) {
    one.on('error', () => undefined); // the other side is told by the close
    one.on('close', () => other.end());
  }
}

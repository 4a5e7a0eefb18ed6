/** HTTP/1.1 over a plain socket, so that the load takes little of the processor that it measures. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

const HEAD_END = Buffer.from('\r\n\r\n');

export function httpRequest(
  method: string,
  target: string,
  headers: Readonly<Record<string, string>>,
  body: Buffer = Buffer.alloc(0),
): Buffer {
  const length: Record<string, string> =
    method === 'GET' ? {} : { 'content-length': String(body.length) };
  const fields = Object.entries({ host: '127.0.0.1', ...headers, ...length });
  const head = [
    `${method} ${target} HTTP/1.1`,
    ...fields.map(([name, value]) => `${name}: ${value}`),
  ];
  return Buffer.concat([Buffer.from(head.join('\r\n')), HEAD_END, body]);
}

export interface Connection {
  /**
   * The answer's status; 0 when the connection broke; 207 for 200 to a batch of which an item is not signed. One at a
   * time.
   */
  ask(request: Buffer): Promise<number>;
  close(): void;
}

export interface Endpoint {
  readonly port: number;
  readonly host?: string;
  /** Signatures in one request, one when absent. */
  readonly itemsEach?: number;
}

/** Every answer must have a content-length. */
export async function openConnection(endpoint: Endpoint): Promise<Connection> {
  const { port, host = '127.0.0.1', itemsEach = 1 } = endpoint;
  const socket: Socket = connect({ port, host, noDelay: true });
  await once(socket, 'connect');
  let resolve: ((status: number) => void) | undefined;
  let isBroken = false;

  function finish(value: number): void {
    const done = resolve;
    resolve = undefined;
    done?.(value);
  }

  function breakOff(): void {
    isBroken = true;
    finish(0);
  }

  const receive = createAnswerReader(itemsEach, finish);
  socket.on('data', receive).on('error', breakOff).on('close', breakOff);
  return {
    ask: (request) =>
      new Promise((answered) => {
        if (isBroken) return answered(0);
        resolve = answered;
        socket.write(request);
      }),
    close: () => void socket.destroy(),
  };
}

/** Takes what comes on a connection, and tells the status of each answer that is complete. */
function createAnswerReader(
  itemsEach: number,
  finish: (status: number) => void,
): (chunk: Buffer) => void {
  let status = 0;
  let missing = 0;
  let head: Buffer | undefined;
  /** Of an answer to a batch. */
  let body: Buffer[] = [];

  function statusOfBatch(): number {
    const isSigned = countOf(SIGNED_ITEM, Buffer.concat(body)) === itemsEach;
    body = [];
    return status === 200 && !isSigned ? 207 : status;
  }

  return (chunk) => {
    if (itemsEach > 1) body.push(chunk);
    if (missing > 0) {
      missing -= chunk.length;
    } else {
      const text = head === undefined ? chunk : Buffer.concat([head, chunk]);
      const end = text.indexOf(HEAD_END);
      head = end < 0 ? text : undefined;
      if (end < 0) return;
      const fields = text.toString('latin1', 0, end);
      status = Number(fields.slice(9, 12));
      const length = Number(/\r\ncontent-length: (\d+)/i.exec(fields)?.[1]);
      missing = end + HEAD_END.length + length - text.length;
    }
    if (missing === 0) finish(itemsEach > 1 ? statusOfBatch() : status);
  };
}

const SIGNED_ITEM = Buffer.from('"status":"signed"');

function countOf(word: Buffer, text: Buffer): number {
  let count = 0;
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length)) count += 1;
  return count;
}

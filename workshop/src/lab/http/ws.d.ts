/** The part of the package `ws` that the lab uses; the package has no types of its own. */
declare module 'ws' {
  import type { IncomingMessage } from 'node:http';
  import type { Duplex } from 'node:stream';

  export interface Socket {
    on(event: 'message', listener: (data: Buffer, isBinary: boolean) => void): this;
    on(event: 'error', listener: (error: Error) => void): this;
    send(text: string): void;
    terminate(): void;
  }

  export class WebSocketServer {
    constructor(options: { noServer: true; maxPayload: number });
    readonly clients: ReadonlySet<Socket>;
    handleUpgrade(
      request: IncomingMessage,
      socket: Duplex,
      head: Buffer,
      opened: (socket: Socket) => void,
    ): void;
  }
}

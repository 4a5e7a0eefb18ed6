/** Letters at a mail server on loopback, which speaks as much of RFC 5321 as a session needs. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import {
  createSecureContext,
  getCACertificates,
  setDefaultCACertificates,
  TLSSocket,
} from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sendMail, type Mailing } from './send-mail.js';

/** Key and certificate of smtp.example.com, until 2126. */
const PEM = readFileSync('test/vectors/mail/smtp.example.com.pem', 'utf8');
const trusted = getCACertificates('default');

beforeAll(() => setDefaultCACertificates([...trusted, PEM.slice(PEM.indexOf('-----BEGIN CERT'))]));
afterAll(() => setDefaultCACertificates(trusted));

interface Mailbox {
  readonly port: number;
  readonly lines: string[];
  close(): void;
}

/** `replies`: to a line or a command, by its first word, instead of the kind one; undefined hangs up. */
async function openMailbox(
  tls: Mailing['tls'],
  replies: Readonly<Record<string, string | undefined>> = {},
): Promise<Mailbox> {
  const lines: string[] = [];
  const sockets: Socket[] = [];
  const secured = (socket: Socket) =>
    new TLSSocket(socket, {
      isServer: true,
      secureContext: createSecureContext({ key: PEM, cert: PEM }),
    });
  const server = createServer((socket) => {
    sockets.push(socket.on('error', () => undefined));
    if (tls === 'implicit') serve(secured(socket), true);
    else serve(socket, false);
  });
  function serve(socket: Socket, isSecure: boolean, greeting = '220 mail\r\n') {
    socket.on('error', () => undefined);
    socket.write(greeting);
    let isLetter = false;
    // readline emits an error of its input again as its own; without a listener Node would throw it
    const reader = createInterface({ input: socket }).on('error', () => undefined);
    reader.on('line', (line) => {
      lines.push(line);
      if (isLetter && line !== '.') return;
      const word = isLetter ? '.' : line.split(' ', 1)[0]!.toUpperCase();
      isLetter = word === 'DATA';
      const key = line in replies ? line : word;
      if (key in replies && replies[key] === undefined) return void socket.destroy();
      const hello = `250-mail\r\n250 ${isSecure ? 'AUTH PLAIN' : 'STARTTLS'}`;
      const kind = word === 'EHLO' ? hello : (KIND[word] ?? '250 ok');
      socket.write(`${replies[key] ?? kind}\r\n`);
      if (replies[key] === UNENDING) trickle(socket);
      if (word !== 'STARTTLS' || key in replies) return;
      reader.close();
      serve(secured(socket), true, '');
    });
  }
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    lines,
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** A reply whose last line never comes. */
const UNENDING = '250-';

function trickle(socket: Socket): void {
  const timer = setInterval(() => socket.write(`${UNENDING}\r\n`), 100);
  socket.on('close', () => clearInterval(timer));
}

const KIND: Readonly<Record<string, string>> = {
  AUTH: '235 ok',
  DATA: '354 go on',
  QUIT: '221 bye',
  STARTTLS: '220 go on',
};

const LETTER = {
  ...{ host: 'smtp.example.com', address: '127.0.0.1', user: 'vault', password: 'hush' },
  ...{ from: 'vault@example.com', to: ['ada@example.com', 'bob@example.com'] },
  ...{ messageId: '<e@smtp.example.com>', subject: 'Ada asks', text: 'Ada asks\n\nhttps://x/\n' },
};

async function send(
  tls: Mailing['tls'],
  replies: Readonly<Record<string, string | undefined>> = {},
  more: Partial<Mailing> = {},
) {
  const mailbox = await openMailbox(tls, replies);
  try {
    const attempt = await sendMail({ ...LETTER, tls, port: mailbox.port, ...more });
    return { attempt, lines: mailbox.lines };
  } finally {
    mailbox.close();
  }
}

describe('a letter', () => {
  it.each(['implicit', 'starttls'] as const)('goes to each receiver over %s TLS', async (tls) => {
    const { attempt, lines } = await send(tls);
    expect(attempt).toEqual({ kind: 'answered', status: 250 });
    expect(lines.filter((line) => line.startsWith('RCPT'))).toEqual([
      'RCPT TO:<ada@example.com>',
      'RCPT TO:<bob@example.com>',
    ]);
    expect(lines).toEqual(
      expect.arrayContaining([
        'Subject: Ada asks',
        'Message-ID: <e@smtp.example.com>',
        'https://x/',
      ]),
    );
  });

  it('is tried again where the server says so, and not where its refusal is final', async () => {
    const later = { kind: 'unanswered', reason: 'the mail server answered 451' };
    const never = { kind: 'refused', reason: 'the mail server answered 554' };
    expect((await send('implicit', { '.': '451 full: hush' })).attempt).toEqual(later);
    expect((await send('implicit', { '.': '554 no' })).attempt).toEqual(never);
    expect((await send('implicit', { MAIL: undefined })).attempt).toMatchObject({
      kind: 'unanswered',
    });
  });

  it('that some of its receivers were refused is said', async () => {
    const { attempt } = await send('implicit', { 'RCPT TO:<bob@example.com>': '550 unknown' });
    expect(attempt).toEqual({ kind: 'refused', reason: '1 of 2 receivers were refused' });
  });

  it('is given up at a server that never comes to its answer', async () => {
    const mailbox = await openMailbox('implicit', { MAIL: UNENDING });
    const attempt = await sendMail({ ...LETTER, tls: 'implicit', port: mailbox.port }, 500);
    mailbox.close();
    expect(attempt).toEqual({ kind: 'unanswered', reason: 'ETIMEDOUT' });
    expect(mailbox.lines.at(-1)).toMatch(/^MAIL FROM/);
  });

  it('that reaches no server is tried again', async () => {
    const mailbox = await openMailbox('implicit');
    mailbox.close();
    const attempt = await sendMail({ ...LETTER, tls: 'implicit', port: mailbox.port });
    expect(attempt).toEqual({ kind: 'unanswered', reason: expect.stringMatching(/^E[A-Z]+$/) });
  });

  it.each(['implicit', 'starttls'] as const)(
    'goes over %s TLS to no server whose certificate is for another name',
    async (tls) => {
      const { attempt, lines } = await send(tls, {}, { host: 'other.example.com' });
      expect(attempt).toMatchObject({ kind: 'unanswered' });
      expect(lines.join('\n')).not.toMatch(/AUTH|RCPT/);
    },
  );

  it.each([
    ['refuses', { STARTTLS: '454 not now' }],
    ['does not know', { EHLO: '250-mail\r\n250 AUTH PLAIN', STARTTLS: '502 unknown' }],
  ])('goes nowhere where the server %s TLS', async (_what, replies) => {
    const { attempt, lines } = await send('starttls', replies);
    expect(attempt.kind).not.toBe('answered');
    expect(lines.join('\n')).not.toMatch(/AUTH|MAIL|RCPT/);
  });
});

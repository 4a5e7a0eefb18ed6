/** Which faults of a store are its absence (504), and which are this program's own (500). */
import { createServer, type AddressInfo, type Server } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import pg from 'pg';
import { askStore, queryStore } from './ask-store.js';
import { ApiError } from '../http/public-error.js';

function databaseError(code: string): pg.DatabaseError {
  const error = new pg.DatabaseError('internal words', 1, 'error');
  error.code = code;
  return error;
}

function named(name: string, message: string): Error {
  return Object.assign(new Error(message), { name });
}

const reply = (message: string) => named('ReplyError', message);

/** What asking comes to when the store's client rejects with this. */
const outcomeOf = (error: unknown) =>
  askStore(async () => {
    throw error;
  }).catch((thrown: unknown) => thrown);

describe('a store that is away', () => {
  it.each<[string, unknown]>([
    ['a connection exception', databaseError('08006')],
    ['no connection left', databaseError('53300')],
    ['no memory left', databaseError('53200')],
    ['a shutdown by the administrator', databaseError('57P01')],
    ['a crash', databaseError('57P02')],
    ['a server that starts up', databaseError('57P03')],
    ['a statement out of time', databaseError('57014')],
    ['a standby', databaseError('25006')],
    ['a refused connection', Object.assign(new Error('connect'), { code: 'ECONNREFUSED' })],
    ['refused connections', new AggregateError([new Error('connect')])],
    ['a pool that waited too long', new Error('timeout exceeded when trying to connect')],
    ['a query that waited too long', new Error('Query read timeout')],
    ['a connection that broke', new Error('Connection terminated unexpectedly')],
    ['a closed Redis connection', new Error('Connection is closed.')],
    ['a Redis command out of time', new Error('Command timed out')],
    ['Redis after too many tries', named('MaxRetriesPerRequestError', 'Reached the limit')],
    ['a Redis that loads', reply('LOADING Redis is loading the dataset in memory')],
    ['a Redis replica', reply("READONLY You can't write against a read only replica.")],
    ['a Redis replica, within a script', reply('ERR Error running script: -READONLY no')],
    ['a broken Redis cluster', reply('CLUSTERDOWN Hash slot not served')],
    ['a full Redis', reply("OOM command not allowed when used memory > 'maxmemory'.")],
  ])('is 504 with a text of its own and the reason kept inside: %s', async (_case, cause) => {
    const thrown = await outcomeOf(cause);
    expect(thrown).toBeInstanceOf(ApiError);
    expect(thrown).toMatchObject({
      errType: 'gateway_timeout',
      message: 'a store cannot be reached',
      retryAfterS: 1,
      cause,
    });
  });

  /** Both stores at this port. */
  async function expectAway(port: number): Promise<void> {
    const pool = new pg.Pool({ host: '127.0.0.1', port, user: 'a', database: 'a' });
    const redis = new Redis(port, '127.0.0.1', {
      maxRetriesPerRequest: 0,
      retryStrategy: () => null,
      disconnectTimeout: 1, // its timer outlives the connection
    });
    redis.on('error', () => undefined);
    try {
      const away = { errType: 'gateway_timeout' };
      await expect(queryStore(pool, 'SELECT 1')).rejects.toMatchObject(away);
      await expect(askStore(() => redis.get('a'))).rejects.toMatchObject(away);
    } finally {
      await pool.end();
    }
  }

  it('is 504 where a connection ends before its answer, and where nothing listens', async () => {
    const server = createServer((socket) => socket.destroy());
    const port = await listen(server);
    await expectAway(port);
    await close(server);
    await expectAway(port);
  });
});

describe('a fault of this program', () => {
  it.each<[string, unknown]>([
    ['a syntax error', databaseError('42601')],
    ['a missing right', databaseError('42501')],
    ['a malformed value', databaseError('22P02')],
    ['a broken constraint', databaseError('23505')],
    ['an error of the server without a code', new pg.DatabaseError('?', 1, 'error')],
    ['a wrong type of a Redis key', reply('WRONGTYPE Operation against a key')],
    ['an unknown Redis command', reply("ERR unknown command 'LOADING'")],
    ['a Redis password', reply('NOAUTH Authentication required.')],
    ['a value that cannot be sent', new TypeError('Do not know how to serialize a BigInt')],
    ['something that is no error', 'text'],
  ])('is thrown as it is: %s', async (_case, cause) => {
    expect(await outcomeOf(cause)).toBe(cause);
  });
});

it('an answer is handed on, and values are not shared with the driver', async () => {
  const given: unknown[] = ['a'];
  const seen: unknown[] = [];
  const pool = {
    async query(text: string, values: unknown[]) {
      seen.push(text, values);
      return { rows: [1] };
    },
  } as unknown as pg.Pool;
  expect(await queryStore(pool, 'SELECT $1', given)).toEqual({ rows: [1] });
  expect(seen).toEqual(['SELECT $1', ['a']]);
  expect(seen[1]).not.toBe(given);
});

function listen(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}

function close(server: Server): Promise<unknown> {
  return new Promise((resolve) => server.close(resolve));
}

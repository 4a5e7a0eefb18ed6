import { describe, expect, it } from '@jest/globals';
import { findDestination } from './find-destination.js';

const strict = { isLoopbackAllowed: false };

/** A name server that gives other addresses at each question. */
function nameServer(...answers: readonly (readonly string[])[]) {
  const asked: string[] = [];
  return {
    asked,
    resolve: async (host: string) => {
      asked.push(host);
      return answers[asked.length - 1] ?? [];
    },
  };
}

const URL_OF_HOOK = 'https://hooks.example.com:8443/x';

describe('where an event goes', () => {
  it('is the address that was looked at, from one question', async () => {
    const { resolve, asked } = nameServer(['93.184.215.14', '2606:4700::1111'], ['127.0.0.1']);
    expect(await findDestination(URL_OF_HOOK, strict, resolve)).toEqual({
      address: '93.184.215.14',
    });
    expect(asked).toEqual(['hooks.example.com']);
  });

  it('is nowhere once the name is bound to another address', async () => {
    const { resolve } = nameServer(['93.184.215.14'], ['169.254.169.254']);
    await findDestination(URL_OF_HOOK, strict, resolve);
    expect(await findDestination(URL_OF_HOOK, strict, resolve)).toEqual({
      refused: 'the name has a private or special address',
    });
  });

  it.each([
    [['127.0.0.1']],
    [['10.0.0.7']],
    [['::1']],
    [['::ffff:10.0.0.7']],
    [['fe80::1']],
    [['100.64.0.1']],
    [['93.184.215.14', '127.0.0.1']],
    [['127.0.0.1', '93.184.215.14']],
    [['not an address']],
  ])('is nowhere for a name with %j', async (addresses) => {
    const { resolve } = nameServer(addresses);
    expect(await findDestination(URL_OF_HOOK, strict, resolve)).toHaveProperty('refused');
  });

  it('is a literal without a question', async () => {
    const { resolve, asked } = nameServer();
    const literal = 'https://[2606:4700::1111]/';
    expect(await findDestination(literal, strict, resolve)).toEqual({ address: '2606:4700::1111' });
    expect(asked).toEqual([]);
  });

  it('is nowhere for a URL that was registered under other rules', async () => {
    const { resolve } = nameServer();
    const loopback = 'http://127.0.0.1:9000/';
    expect(await findDestination(loopback, strict, resolve)).toHaveProperty('refused');
    expect(await findDestination(loopback, { isLoopbackAllowed: true }, resolve)).toEqual({
      address: '127.0.0.1',
    });
    expect(await findDestination('https://10.0.0.1/', strict, resolve)).toHaveProperty('refused');
  });

  it('is to be asked for again where the name has no address now', async () => {
    const { resolve } = nameServer([]);
    await expect(findDestination(URL_OF_HOOK, strict, resolve)).rejects.toThrow('no address');
  });
});

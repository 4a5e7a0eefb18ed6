import { EventEmitter } from 'node:events';
import { describe, expect, test } from '@jest/globals';
import { openStopSignals } from './stop-signals.js';

function setUp() {
  const source = new EventEmitter();
  let now = 0;
  const { stop, kill } = openStopSignals(source, () => now);
  return {
    stop,
    kill,
    source,
    send(signal: string, afterMs = 0) {
      now += afterMs;
      return source.emit(signal, signal);
    },
  };
}

describe('signals to the starter', () => {
  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'])('%s asks it to stop', (signal) => {
    const { stop, kill, send } = setUp();
    expect(stop.aborted).toBe(false);
    send(signal);
    expect([stop.aborted, stop.reason, kill.aborted]).toEqual([true, signal, false]);
  });

  test('a Ctrl-C that npm passes on as well is one', () => {
    const { kill, send } = setUp();
    send('SIGINT');
    send('SIGINT', 999);
    expect(kill.aborted).toBe(false);
  });

  test('a second one hurries, and a third has the effect that it has by default', () => {
    const { stop, kill, send, source } = setUp();
    send('SIGTERM');
    send('SIGINT', 1_000);
    expect([stop.reason, kill.aborted]).toEqual(['SIGTERM', true]);
    expect(send('SIGINT', 1)).toBe(false);
    expect(source.eventNames()).toEqual([]);
  });
});

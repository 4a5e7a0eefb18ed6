import { describe, expect, test } from '@jest/globals';
import { commandsBetween, parseCommandStats } from './redis-commands.js';

const INFO = [
  '# Commandstats',
  'cmdstat_hmget:calls=12,usec=34,usec_per_call=2.83,rejected_calls=0,failed_calls=0',
  'cmdstat_client|setname:calls=4,usec=9,usec_per_call=2.25,rejected_calls=0,failed_calls=0',
  'cmdstat_info:calls=7,usec=9,usec_per_call=2.25,rejected_calls=0,failed_calls=0',
  '# Stats',
  'total_commands_processed:23',
  '',
].join('\r\n');

describe('commands of Redis', () => {
  test('are read by name, without those of the reading', () => {
    expect(parseCommandStats(INFO)).toEqual({ hmget: 12, 'client|setname': 4 });
    expect(parseCommandStats('')).toEqual({});
  });

  test('between two readings are those that ran', () => {
    const before = { hmget: 12, get: 3 };
    expect(commandsBetween(before, { hmget: 20, get: 3, evalsha: 2 })).toEqual({
      hmget: 8,
      evalsha: 2,
    });
  });

  test('after a reset count from nothing', () => {
    expect(commandsBetween({ hmget: 12 }, { hmget: 5 })).toEqual({ hmget: 5 });
  });
});

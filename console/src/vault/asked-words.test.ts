import { describe, expect, it } from '@jest/globals';
import { askedWords } from './asked-words.js';

const approvals = { required: 2, given: [] };

describe('a change that a form rests on', () => {
  it('says what it waits for, and that nothing is lost meanwhile', () => {
    const record = { status: 'processing', phase: 'awaiting_approval', approvals } as const;
    expect(askedWords('Address list Own', record)).toBe(
      'Address list Own waits for approvals (0 of 2). What you wrote here is kept until you sign out.',
    );
  });

  it('says when it is there, and when it never will be', () => {
    expect(askedWords('Policy Desk', { status: 'completed', approvals })).toBe(
      'Policy Desk is there now.',
    );
    expect(askedWords('Policy Desk', { status: 'rejected', approvals })).toBe(
      'Policy Desk was not made: its request is rejected.',
    );
  });
});

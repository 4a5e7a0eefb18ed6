import Sequencer from '@jest/test-sequencer';

/** The tests with servers are the long ones: begun first, they do not keep one worker busy at the end. */
export default class ServersFirst extends Sequencer {
  sort(tests) {
    const rank = ({ context }) => (context.config.displayName?.name === 'servers' ? 0 : 1);
    return super.sort(tests).toSorted((a, b) => rank(a) - rank(b));
  }
}
